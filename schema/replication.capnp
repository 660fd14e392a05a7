@0xe2b19f16447e86ec;
# How commits travel from a source (the primary) to a replica.
#
# ## Framing
#
# A TCP connection carries Cap'n Proto RPC messages (rpc.capnp, two parties; the replica is the
# client), each with a header of 16 bytes in front of it, integers little-endian:
#
#   bytes 0-3    W, the length of the message in words of 8 bytes
#   bytes 4-7    the low 32 bits of XXH3-64(bytes 0-3, seed `frameSeed`)
#   bytes 8-15   XXH3-64(the message, seed `frameSeed`)
#   then         the message: segment table and segments, as in Cap'n Proto's stream encoding
#
# So whatever is sent - hello, frames, acknowledgements, heartbeats, chunks, the envelope of each
# call - is covered by a checksum, and a wrong length is found before anyone waits for its bytes. A
# wrong checksum ends the connection at the side that sees it (`feeds_checksum_errors_total`); the
# replica dials again and goes on from its applied position. A message is at most 64 MiB, both ways.
#
# ## A session
#
#   replica                                  source
#   connect; bootstrap -> Source
#   hello(position, sink, pulse)      ->     judges the position
#                                     <-     welcome: tail | snapshot(reason) | refused(reason)
#   Session.start                     ->     nothing is sent to the sink before this
#   Pulse.beat, both ways, every `heartbeat`, from here to the end
#
#   snapshot:                         <-     Sink.beginSnapshot(reason, files)
#                                     <-     Sink.chunk ... (stream)
#                                     <-     Sink.endSnapshot(hashes)
#   verifies, syncs, swaps; returns the position of the opened copy   ->  tail
#
#   tail:                             <-     Sink.frame ... (stream)
#   applies, syncs; Session.ack(position)    ->
#
# A source may begin a snapshot in the middle of a tail (its log turned out unreadable), once a
# session. Either side ends a session by closing the connection. There is no other repair than to
# dial again: every session starts by proving the position.
#
# ## Rules
#
# - A position is tailed from only if it is the source's head with the same digest, or if the next
#   commit in the source's log follows it exactly: the next sequence, and a digest chained on that
#   of the position. All else is a snapshot.
# - Only commits that are durable on the source are sent. A frame may be made before; it leaves once
#   its head is durable, and messages that are not of `Sink` may overtake it.
# - What nobody waits for - Finish, an empty answer - may wait some milliseconds for company.
# - The replica applies each batch as one write, unchanged, after the same check. A batch that does
#   not follow ends the session; the next hello asks for a snapshot and says why.
# - An acknowledged position is synced to the replica's disk.
# - A peer from which no byte came for `peer_timeout` is dropped, whatever TCP thinks of it.
# - A peer of another `schemaVersion` is refused. Within a version fields are added, never changed.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("feeds::wire");

const schemaVersion :UInt32 = 1;
const frameSeed :UInt64 = 0x46454544532d3031;

struct Record {
  # A commit, as in its position record (README.md). All zero, epoch 1: before the first.
  epoch @0 :UInt64 = 1;
  sequence @1 :UInt64;
  commitTimeNs @2 :Int64;
  digestHigh @3 :UInt64;   # the first 8 of the digest's canonical bytes, big-endian
  digestLow @4 :UInt64;
}

enum SnapshotReason {
  none @0;
  empty @1;           # the replica has no data
  walPurged @2;       # the source's log no longer holds the next commit
  walUnreadable @3;   # it holds it but it cannot be read, or something else came in its place
  diverged @4;        # the replica's history is not the source's
  requested @5;       # an operator asked for it
}

struct Hello {
  schemaVersion @0 :UInt32;
  clusterId @1 :Text;         # empty: never accepted by any cluster
  nodeId @2 :Text;
  advertise @3 :Text;         # the replica's HTTP address
  hasData @4 :Bool;           # false: `position` means nothing
  position @5 :Record;        # applied; what is in the replica's database
  wants @6 :SnapshotReason;   # other than none: a snapshot, whatever the position

  # For later, not used in version 1.
  path @7 :List(Text);        # node ids from the primary to this one, for replicas of replicas
  slot @8 :Text;              # a retention slot to hold
  voter @9 :Bool;             # its acknowledgements may count for min_acks
  resumeId @10 :Text;         # the snapshot whose files it still has parts of
}

struct Welcome {
  schemaVersion @0 :UInt32;
  clusterId @1 :Text;
  nodeId @2 :Text;
  advertise @3 :Text;         # the HTTP address that writes are sent to
  head @4 :Record;            # the source's newest durable commit
  union {
    tail @5 :Void;
    snapshot @6 :SnapshotReason;
    refused @7 :Refusal;
  }

  # For later, not used in version 1.
  path @8 :List(Text);
  minAcks @9 :UInt32;
}

enum Refusal {
  otherCluster @0;    # never mixed; the replica keeps its data and is told both cluster ids
  newerEpoch @1;      # the replica has seen a newer epoch: this source is the stale one
  otherSchema @2;     # of another schemaVersion
  tooMany @3;         # the source serves as many replicas as it may
}

struct Frame {
  # Commits in order, without gaps: at most 1 MiB of them, or one larger.
  epoch @0 :UInt64;           # of the source when it sent this; for fencing later
  head @1 :UInt64;            # the source's newest durable sequence when it sent this
  batches @2 :List(Data);     # RocksDB's write batches, bytes as in the log
}

struct Ack {
  epoch @0 :UInt64;
  synced @1 :UInt64;          # everything up to this sequence is on the replica's disk
  applied @2 :UInt64;         # for later: visible there, perhaps not yet synced
}

struct Heartbeat {
  epoch @0 :UInt64;
  sequence @1 :UInt64;        # source: newest durable; replica: newest applied
  sentNs @2 :Int64;           # the sender's own monotonic clock; not comparable between nodes
  advertise @3 :Text;         # the sender's HTTP address
}

struct SnapshotFile {
  name @0 :Text;              # no directory part
  bytes @1 :UInt64;
}

struct SnapshotManifest {
  reason @0 :SnapshotReason;
  files @1 :List(SnapshotFile);
  resumeId @2 :Text;          # for later, not used in version 1
}

struct SnapshotChunk {
  file @0 :UInt32;            # index in the manifest; files come in its order
  offset @1 :UInt64;          # chunks of a file come in order, without gaps
  data @2 :Data;              # at most 1 MiB
}

struct SnapshotEnd {
  hashes @0 :List(Hash);      # of each file, in the manifest's order
  struct Hash {
    high @0 :UInt64;          # XXH3-128 of the whole file
    low @1 :UInt64;
  }
}

interface Source {
  # What a source offers to whoever connects.
  hello @0 (hello :Hello, sink :Sink, pulse :Pulse)
        -> (welcome :Welcome, session :Session, pulse :Pulse);
  # Once a connection. `session` and `pulse` are null when refused.
}

interface Session {
  # What the source offers to a replica that it welcomed.
  ack @0 (ack :Ack) -> stream;
  start @1 () -> ();
  # The replica is ready for what the welcome said. Once.
}

interface Sink {
  # What a replica offers to its source. Calls are handled one after the other.
  frame @0 (frame :Frame) -> stream;
  beginSnapshot @1 (manifest :SnapshotManifest) -> ();
  chunk @2 (chunk :SnapshotChunk) -> stream;
  endSnapshot @3 (end :SnapshotEnd) -> (position :Record);
  # Returns once the copy is swapped in, with the position of the opened copy. May take seconds.
}

interface Pulse {
  # A capability of its own, so that a heartbeat never waits behind a frame that is being applied.
  beat @0 (heartbeat :Heartbeat) -> ();
}
