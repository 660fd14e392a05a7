// How fast keys are rendered, on one core:
//   ninja key_format_benchmark && bin/key_format_benchmark
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "common/key_format/key_format.h"

namespace {

using feeds::key_format::Activity;
using feeds::key_format::FormatError;
using feeds::key_format::Template;

Activity sample() {
  Activity activity;
  activity.id = 10000;
  activity.object_id = "pizza-42";
  activity.collection_id = "food";
  activity.created_at_ns = 1700000000123456789;
  activity.updated_at_ns = 1700000000123456789;
  activity.user_id = "alice";
  activity.activity_type = "like";
  activity.extra_data = R"({"team":"red","score":7,"tags":["a","b","c"],"nested":{"k":"v"}})";
  return activity;
}

void render(benchmark::State& state, std::string_view format) {
  FormatError error;
  const auto made = Template::parse(format, error);
  const Activity activity = sample();
  std::string key;
  if (!made || !made->render(activity, key, error)) {
    std::cerr << format << ": " << error.message << "\n";
    std::exit(1);
  }
  for (auto _ : state) {
    made->render(activity, key, error);
    benchmark::DoNotOptimize(key);
  }
  state.SetItemsProcessed(state.iterations());
}

void parse(benchmark::State& state, std::string_view format) {
  FormatError error;
  for (auto _ : state) {
    auto made = Template::parse(format, error);
    benchmark::DoNotOptimize(made);
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(render, two_fields, "{{.ActivityType}}_{{.ObjectId}}");
BENCHMARK_CAPTURE(render, date, "{{.ActivityType}}:{{date \"2006-01-02\" .CreatedAt}}");
BENCHMARK_CAPTURE(
    render, condition,
    "{{if eq .ActivityType \"like\" \"love\"}}liked{{else}}other{{end}}:{{.ObjectId}}");
BENCHMARK_CAPTURE(render, printf, "{{printf \"%s-%08d\" .ActivityType .Id}}");
BENCHMARK_CAPTURE(render, extra_data, "{{.ExtraData.team}}:{{.ExtraData.nested.k}}");
BENCHMARK_CAPTURE(render, range, "{{range .ExtraData.tags}}{{upper .}},{{end}}");
BENCHMARK_CAPTURE(parse, two_fields, "{{.ActivityType}}_{{.ObjectId}}");

}  // namespace

BENCHMARK_MAIN();
