package main

// The reference for the templates of grouping feeds: Go 1.19's text/template with date, lower, upper
// and default. Reads the activities from the file it is given and cases {"keyFormat","activity"} from
// its input, a line each; prints them with "key", or with "error" and "message".
import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"
)

type Activity struct {
	Id               int64
	StringId         string
	ObjectId         string
	CollectionId     string
	LinkedActivityId string
	CreatedAt        int64
	UpdatedAt        int64
	UserId           string
	ActivityType     string
	ExtraData        interface{}
}

func conv(v interface{}) interface{} {
	switch x := v.(type) {
	case json.Number:
		s := x.String()
		if !strings.ContainsAny(s, ".eE") {
			if i, err := x.Int64(); err == nil {
				return i
			}
		}
		f, _ := x.Float64()
		return f
	case []interface{}:
		out := make([]interface{}, len(x))
		for i := range x {
			out[i] = conv(x[i])
		}
		return out
	case map[string]interface{}:
		out := map[string]interface{}{}
		for k, e := range x {
			out[k] = conv(e)
		}
		return out
	}
	return v
}

type raw struct {
	IdNumber         int64           `json:"idNumber"`
	ObjectId         string          `json:"objectId"`
	CollectionId     string          `json:"collectionId"`
	LinkedActivityId string          `json:"linkedActivityId"`
	CreatedAt        int64           `json:"createdAt"`
	UpdatedAt        int64           `json:"updatedAt"`
	UserId           string          `json:"userId"`
	ActivityType     string          `json:"activityType"`
	ExtraData        json.RawMessage `json:"extraData"`
}

var funcs = template.FuncMap{
	"date":  func(layout string, ns int64) string { return time.Unix(0, ns).UTC().Format(layout) },
	"lower": strings.ToLower,
	"upper": strings.ToUpper,
	"default": func(d, v interface{}) interface{} {
		if t, _ := template.IsTrue(v); t {
			return v
		}
		return d
	},
}

type result struct {
	KeyFormat string  `json:"keyFormat"`
	Activity  int     `json:"activity"`
	Key       *string `json:"key,omitempty"`
	Error     string  `json:"error,omitempty"`
	Message   string  `json:"message,omitempty"`
}

func render(format string, a Activity) (r result) {
	r.KeyFormat = format
	defer func() {
		if p := recover(); p != nil {
			r.Error = "execute"
			r.Message = fmt.Sprint("PANIC ", p)
			r.Key = nil
		}
	}()
	t := template.New("keyFormat").Funcs(funcs)
	t, err := t.Parse(format)
	if err != nil {
		r.Error, r.Message = "parse", err.Error()
		return
	}
	var b bytes.Buffer
	err = t.Execute(&b, a)
	if err != nil {
		r.Error, r.Message = "execute", err.Error()
		return
	}
	s := b.String()
	if !utf8.ValidString(s) {
		r.Error, r.Message = "execute", "not UTF-8"
		return
	}
	if len(s) > 1024 {
		r.Error, r.Message = "execute", "too long"
		return
	}
	r.Key = &s
	return
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var raws []raw
	if err := json.Unmarshal(data, &raws); err != nil {
		panic(err)
	}
	var acts []Activity
	for _, r := range raws {
		var v interface{}
		if len(r.ExtraData) > 0 {
			d := json.NewDecoder(bytes.NewReader(r.ExtraData))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				panic(err)
			}
		}
		acts = append(acts, Activity{r.IdNumber, fmt.Sprint(r.IdNumber), r.ObjectId, r.CollectionId, r.LinkedActivityId, r.CreatedAt, r.UpdatedAt, r.UserId, r.ActivityType, conv(v)})
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for in.Scan() {
		var q struct {
			KeyFormat string `json:"keyFormat"`
			Activity  int    `json:"activity"`
		}
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			panic(err)
		}
		r := render(q.KeyFormat, acts[q.Activity])
		r.Activity = q.Activity
		enc.Encode(r)
	}
}
