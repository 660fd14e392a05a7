-- One of a list of requests, at random. The list is made before the load begins, and is the same
-- for every server, so that the generator costs each of them the same.
-- wrk ... -- page FEEDS FIRST LAST | newest FEEDS | publish FEEDS BYTES | gets FILE | posts FILE
local requests = {}

local function add(method, path, body, kind)
  local headers = body and {["Content-Type"] = kind or "text/plain"}
  requests[#requests + 1] = wrk.format(method, path, headers, body)
end

function init(args)
  local kind, feeds = args[1], tonumber(args[2])
  if kind == "page" then
    local first, last = tonumber(args[3]), tonumber(args[4])
    -- At most 20,000 different ones: as many starts a feed as there is room for.
    local starts = math.max(1, math.min(last - first + 1, math.floor(20000 / feeds)))
    local step = (last - first + 1) / starts
    for feed = 10000, 10000 + feeds - 1 do
      for i = 0, starts - 1 do
        add("GET", string.format("/v1/feeds/%d?startId=%d", feed, math.floor(first + i * step)))
      end
    end
  elseif kind == "newest" then
    for feed = 10000, 10000 + feeds - 1 do add("GET", string.format("/v1/feeds/%d", feed)) end
  elseif kind == "publish" then
    local body = string.rep("x", tonumber(args[3]))
    for feed = 10000, 10000 + feeds - 1 do
      add("POST", string.format("/v1/feeds/%d/publishArticle", feed), body)
    end
  elseif kind == "gets" then  -- a path a line
    for path in io.lines(args[2]) do add("GET", path) end
  elseif kind == "posts" then  -- a path and its JSON a line
    for line in io.lines(args[2]) do
      local path, body = line:match("^(%S+) (.*)$")
      add("POST", path, body, "application/json")
    end
  else
    error("unknown kind of request: " .. tostring(kind))
  end
  math.randomseed(os.time())
end

function request()
  return requests[math.random(#requests)]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d\n", summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status,
    latency:percentile(50), latency:percentile(99)))
end
