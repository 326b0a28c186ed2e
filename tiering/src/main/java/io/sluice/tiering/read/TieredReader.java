package io.sluice.tiering.read;

import io.netty.buffer.ByteBuf;
import io.sluice.store.read.SequentialReaders;
import io.sluice.store.read.SequentialReaders.Reader;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.format.Span;
import io.sluice.tiering.read.Piece.State;
import io.sluice.tiering.task.Backoff;
import io.sluice.tiering.task.Surroundings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a container's bytes back, a piece at a time. Readers of the same bytes share a request; who reads on is kept some
 * pieces ahead.
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

    private final Surroundings around;
    private final ReadPolicy policy;
    private final Pieces pieces;
    private final Fetcher fetcher;
    private final SequentialReaders readers = new SequentialReaders();
    private int waiting;
    private long now;
    private long nextSweep;
    private boolean closed;

    public TieredReader(Surroundings around, ReadPolicy policy, Backoff backoff) {
        this.around = around;
        this.policy = policy;
        this.pieces = new Pieces(policy);
        this.fetcher = new Fetcher(around, policy, backoff, new Fetcher.Outcome() {
            @Override
            public void ready(Piece piece) {
                serveWaiters(piece);
            }

            @Override
            public void givenUp(Piece piece, StoreFailure why) {
                failWaiters(piece, why);
            }
        });
    }

    /** As {@link io.sluice.store.tier.Tier#doWork}. */
    public int doWork(long time) {
        now = time;
        int work = fetcher.doWork(time);
        if (time >= nextSweep) {
            nextSweep = time + policy.idleMillis() / 4 + 1;
            work += pieces.dropIdle(time);
        }
        return work;
    }

    /** As {@link io.sluice.store.tier.Tier#read}. An answer goes on past the range's end if what follows was read ahead. */
    public void read(long segment, TierRange range, long position, int maxBytes, ReadReply reply) {
        if (maxBytes <= 0 || position < range.position() || position >= range.end() || segment != range.segment()) {
            throw new IllegalArgumentException(
                    "Cannot read " + maxBytes + " bytes at " + position + " of segment " + segment + " from " + range);
        }
        if (closed) {
            reply.failed(notOwner());
            return;
        }
        if (waiting >= policy.waiting()) {
            reply.failed(new StoreFailure.Overloaded("Too many reads wait for long-term storage"));
            return;
        }
        @Nullable Reader reader = readers.at(segment, position);
        Request request = new Request(reader, segment, position, maxBytes, reply);
        if (reader != null) {
            pieces.dropBehind(segment, position);
        }
        waiting++;
        int sharing = Math.max(1, readers.active());
        long window = reader == null ? 0 : policy.window(reader.run(), sharing);
        Piece piece = pieceAt(range, request, window);
        if (reader != null) {
            pieces.keep(piece);
            readAhead(piece, window, policy.share(sharing));
        }
        if (piece.state == State.READY) {
            serve(request, piece, piece.data());
        }
    }

    /** The piece with the request's first byte; unless it is ready, the request waits for it. */
    private Piece pieceAt(TierRange range, Request request, long window) {
        Piece piece = pieces.find(request.segment, request.position);
        if (piece == null) {
            long bytes = Math.min(Math.max(request.maxBytes, window), policy.pieceBytes());
            piece = piece(range, request.position, (int) bytes);
            pieces.add(piece);
            piece.await(request);
            fetcher.fetch(piece);
        } else if (piece.state != State.READY) {
            await(piece, request);
        }
        piece.lastUse = now;
        return piece;
    }

    private Piece piece(TierRange range, long position, int bytes) {
        long end = Math.min(range.end(), position + bytes);
        return new Piece(Span.covering(range, position, pieces.nextStart(range.segment(), position, end)), now);
    }

    private void await(Piece piece, Request request) {
        piece.await(request);
        fetcher.hurry(piece);
    }

    private void readAhead(Piece from, long window, long share) {
        Piece last = from;
        for (int i = 0; i < MOST_AHEAD && last.span.to() - from.span.to() < window; i++) {
            @Nullable Piece next = pieces.find(last.segment(), last.span.to());
            if (next == null) {
                next = pieceAfter(last, policy.pieceWithin(window));
                if (next == null || next.span.to() - from.span.from() > share || !pieces.keep(next)) {
                    return;
                }
                pieces.add(next);
                fetcher.fetch(next);
            }
            next.lastUse = now; // a slow reader comes to it, too
            last = next;
        }
    }

    /** The piece that follows, not yet among the pieces; null at the end of what the tier has. */
    private @Nullable Piece pieceAfter(Piece last, int bytes) {
        long position = last.span.to();
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
        piece.lastUse = now;
        request.take(data, piece.span.from(), around.allocator());
        while (!request.complete()) {
            @Nullable Piece next = pieces.find(request.segment, request.next());
            if (next == null || next.state == State.PAUSED) {
                break;
            }
            next.lastUse = now;
            if (next.state != State.READY) {
                await(next, request);
                return;
            }
            request.take(next.data(), next.span.from(), around.allocator());
        }
        answer(request);
    }

    private void answer(Request request) {
        waiting--;
        readers.answered(request.reader, request.segment, request.position, request.next());
        request.answer();
    }

    private void failWaiters(Piece piece, StoreFailure why) {
        List<Request> waiters = piece.takeWaiters();
        pieces.drop(piece);
        for (Request request : waiters) {
            if (request.head() != null) {
                answer(request);
            } else {
                waiting--;
                request.reply().failed(why);
            }
        }
    }

    /** Answers all who wait. */
    public void close() {
        closed = true;
        for (Request request : pieces.clear()) {
            ByteBuf head = request.head();
            if (head != null) {
                head.release();
            }
            request.reply().failed(notOwner());
        }
    }

    private StoreFailure notOwner() {
        int container = around.host().container();
        return new StoreFailure.NotOwner(container, "Container " + container + " is not served here any more");
    }
}
