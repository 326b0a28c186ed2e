package io.sluice.tiering.read;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.TierRange;
import io.sluice.store.tier.TierReply;
import io.sluice.tiering.format.Span;
import io.sluice.tiering.read.Piece.State;
import io.sluice.tiering.read.SequentialReaders.Reader;
import io.sluice.tiering.task.Backoff;
import io.sluice.tiering.task.Surroundings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a container's bytes back, a piece at a time. Readers of the same bytes share a request; sequential
 * readers are prefetched.
 *
 * <pre>
 *   answered          asked for            read ahead
 *   ────────────────┬────────────────────┬──────────────────┬──────────────────┬──── segment
 *     (dropped)     │ piece, READY       │ piece, READY     │ piece, RUNNING   │
 *                   └────────────────────┴──────────────────┴──────────────────┘
 *                          └── answer, as far as asked ─┘
 * </pre>
 *
 * Loop only.
 */
public final class TieredReader {
    /** Pieces ahead of one reader, however small: where ranges are short, so are pieces. */
    private static final int MOST_AHEAD = 32;
    /** The store answers within its own deadlines, of seconds, and is tried a few times. */
    private static final long LOST_AFTER_MILLIS = 120_000;

    private final Surroundings around;
    private ReadPolicy policy;
    private final Pieces pieces;
    private final Fetcher fetcher;
    private final SequentialReaders readers = new SequentialReaders();
    private final RequestQueue queue;
    private long now;
    private long nextSweep;
    private boolean closed;

    public TieredReader(Surroundings around, ReadPolicy policy, Backoff backoff) {
        this.around = around;
        this.policy = policy;
        this.pieces = new Pieces(policy);
        this.queue = new RequestQueue(policy, this::start);
        this.fetcher = new Fetcher(around, policy, backoff, new Fetcher.Outcome() {
            @Override
            public void ready(Piece piece) {
                serveWaiters(piece);
            }

            @Override
            public void givenUp(Piece piece, StoreFailure why) {
                failWaiters(piece, why);
            }

            @Override
            public boolean hopeless(Piece piece) {
                return isElsewhere(piece, piece.span.from());
            }
        });
    }

    /** Reads ahead within these bytes from now on; the policy differs from the one before in nothing else. */
    public void resize(ReadPolicy changed) {
        policy = changed;
        pieces.resize(changed);
    }

    /** As {@link io.sluice.store.tier.Tier#doWork}. */
    public int doWork(long time) {
        now = time;
        int work = fetcher.doWork(time);
        if (time >= nextSweep) {
            nextSweep = time + policy.idleMillis() / 4 + 1;
            work += pieces.dropIdle(time);
            giveUpLost(time);
        }
        return work;
    }

    /** A store that never answers must not keep a place from being read again. */
    private void giveUpLost(long time) {
        for (Piece piece : pieces.askedBefore(time - LOST_AFTER_MILLIS)) {
            failWaiters(piece, new StoreFailure.TierUnavailable("Long-term storage does not answer a read"));
        }
    }

    /** As {@link io.sluice.store.tier.Tier#read}. An answer is shorter than asked for where the tier ends or has no memory for more. */
    public void read(long segment, long position, int maxBytes, TierReply reply) {
        if (maxBytes <= 0) {
            throw new IllegalArgumentException("Cannot read " + maxBytes + " bytes of segment " + segment);
        }
        if (closed) {
            reply.failed(notOwner());
        } else {
            queue.add(segment, position, maxBytes, reply);
        }
    }

    /** The request's turn has come. */
    private void start(Request request) {
        long segment = request.segment;
        long position = request.position;
        @Nullable TierRange range = around.host().tiered(segment, position);
        long cached = around.host().cachedFrom(segment, position);
        if (range == null || cached == position) {
            handBack(request);
            return;
        }
        @Nullable Reader reader = readers.at(segment, position);
        int least = passes(reader, request.maxBytes()) ? 0 : leastRead();
        request.begin(
                reader, window(reader), ReadPolicy.wanted(request.maxBytes(), least, position, range.end(), cached));
        if (reader != null) {
            pieces.dropBehind(segment, position);
        }
        Piece piece = pieceAt(range, request);
        if (reader != null) {
            pieces.keep(piece);
        }
        readOn(piece, request);
        if (piece.state == State.READY) {
            serve(request, piece, piece.data());
        }
    }

    private long window(@Nullable Reader reader) {
        return reader == null ? 0 : policy.window(reader.run(), sharing(), readers.answeredSince(reader));
    }

    private int sharing() {
        return Math.max(1, readers.active());
    }

    /**
     * Whether the bytes pass the cache by: one reader goes through the segment alone and takes much at a time. Nobody else would
     * read them in the cache, and copying them there costs as much as all else here.
     */
    private boolean passes(@Nullable Reader reader, int maxBytes) {
        return reader != null && policy.isLarge(maxBytes, leastRead()) && !readers.hasCompany(reader);
    }

    private int leastRead() {
        return policy.leastRead(around.host().catchUpBytes(), sharing());
    }

    /** The piece with the request's first byte; unless it is ready, the request waits for it. */
    private Piece pieceAt(TierRange range, Request request) {
        Piece piece = pieces.find(request.segment, request.position);
        if (piece == null) {
            long bytes = Math.min(Math.max(request.bytes(), request.window()), policy.pieceBytes());
            piece = piece(range, request.position, (int) bytes);
            pieces.add(piece);
            piece.await(request);
            fetcher.fetch(piece);
        } else if (piece.state != State.READY) {
            await(piece, request);
        }
        use(piece);
        return piece;
    }

    private void use(Piece piece) {
        piece.lastUse = now;
        pieces.using(piece);
    }

    private Piece piece(TierRange range, long position, int bytes) {
        long end = Math.min(range.end(), position + bytes);
        return new Piece(Span.covering(range, position, pieces.nextStart(range.segment(), position, end)), now);
    }

    private void await(Piece piece, Request request) {
        piece.await(request);
        fetcher.hurry(piece);
    }

    /** Sees to it that what follows {@code first} is on its way: the rest of what is asked for, and what is read ahead. */
    private void readOn(Piece first, Request request) {
        long until = Math.max(request.end(), first.span.to() + request.window());
        Piece last = first;
        for (int i = 0; i < MOST_AHEAD && last.span.to() < until; i++) {
            @Nullable Piece next = pieces.find(last.segment(), last.span.to());
            if (next == null) {
                next = pieceAfter(last, request);
                if (next == null || beyondShare(first, next, request) || !pieces.keep(next)) {
                    return;
                }
                pieces.add(next);
                if (last.span.to() < request.end()) {
                    fetcher.fetch(next);
                } else {
                    fetcher.fetchAhead(next);
                }
            }
            use(next); // a slow reader comes to it, too
            last = next;
        }
    }

    /** Caps a prefetched reader's answer at its share, so that it does not displace others. */
    private boolean beyondShare(Piece first, Piece next, Request request) {
        return request.window() > 0 && next.span.to() - first.span.from() > policy.share(sharing());
    }

    /** The piece that follows, not yet among the pieces; null at the end of what the tier has. */
    private @Nullable Piece pieceAfter(Piece last, Request request) {
        long position = last.span.to();
        int bytes = request.window() > 0
                ? policy.pieceWithin(request.window())
                : (int) Math.min(request.end() - position, policy.pieceBytes());
        TierRange range = last.span.range();
        if (position == range.end()) {
            range = around.host().tiered(range.segment(), position);
        }
        return range == null || position < range.position() || position >= range.end()
                ? null
                : piece(range, position, bytes);
    }

    private void serveWaiters(Piece piece) {
        // A reply may read again, and so drop this piece while others are still to be served from it.
        ByteBuf data = piece.data().retain();
        try {
            for (Request request : piece.takeWaiters()) {
                serve(request, piece, data);
            }
        } finally {
            data.release();
        }
        if (!piece.kept) {
            pieces.drop(piece);
        }
    }

    /** Gives the request what {@code piece} and those after it have of it, waits for one that is under way, or answers. */
    private void serve(Request request, Piece piece, ByteBuf data) {
        take(request, piece, data);
        while (!request.complete()) {
            @Nullable Piece next = pieces.find(request.segment, request.next());
            if (next == null || next.state == State.PAUSED) {
                break;
            }
            if (next.state != State.READY) {
                use(next);
                await(next, request);
                return;
            }
            take(request, next, next.data());
        }
        answer(request);
    }

    private void take(Request request, Piece piece, ByteBuf data) {
        use(piece);
        request.take(data, piece.span.from(), around.allocator());
        if (request.window() == 0 || request.next() >= piece.span.to()) {
            pieces.usedUp(piece);
        }
    }

    private void answer(Request request) {
        boolean shared = request.asking() > 1 || !passes(request.reader(), request.maxBytes());
        queue.ended(request);
        readers.answered(request.reader(), request.segment, request.position, request.next());
        request.answer(shared);
        queue.startNext();
    }

    private void handBack(Request request) {
        queue.ended(request);
        request.handBack();
        queue.startNext();
    }

    private void failWaiters(Piece piece, StoreFailure why) {
        List<Request> waiters = piece.takeWaiters();
        pieces.drop(piece);
        for (Request request : waiters) {
            if (request.hasBytes()) {
                answer(request);
            } else if (isElsewhere(piece, request.position)) {
                handBack(request);
            } else {
                queue.ended(request);
                request.fail(why);
                queue.startNext();
            }
        }
    }

    /** A merge has put the byte at {@code position} into another object, so the piece's may be gone for good. */
    private boolean isElsewhere(Piece piece, long position) {
        @Nullable TierRange now = around.host().tiered(piece.segment(), position);
        return now != null && now.object() != piece.span.range().object();
    }

    /** Answers all who wait. */
    public void close() {
        closed = true;
        pieces.clear();
        queue.clear().forEach(request -> request.fail(notOwner()));
    }

    private StoreFailure notOwner() {
        int container = around.host().container();
        return new StoreFailure.NotOwner(container, "Container " + container + " is not served here any more");
    }
}
