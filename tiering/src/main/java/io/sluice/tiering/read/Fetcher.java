package io.sluice.tiering.read;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.StoreFailure;
import io.sluice.tiering.format.ObjectNames;
import io.sluice.tiering.format.Span;
import io.sluice.tiering.format.Span.DamagedBlockException;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.read.Piece.State;
import io.sluice.tiering.task.Backoff;
import io.sluice.tiering.task.Completions.Completion;
import io.sluice.tiering.task.Surroundings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Gets pieces from the store: so many at a time, those that are waited for before those read ahead, each with so many
 * attempts. Damaged bytes are asked for once more, in case they were damaged on the way.
 */
final class Fetcher {
    private static final int ATTEMPTS_WHEN_DAMAGED = 2;

    private final Surroundings around;
    private final ReadPolicy policy;
    private final Backoff backoff;
    private final Outcome outcome;
    private final ArrayDeque<Piece> wanted = new ArrayDeque<>();
    private final ArrayDeque<Piece> ahead = new ArrayDeque<>();
    private final List<Piece> paused = new ArrayList<>();
    private int running;
    private long runningBytes;
    private long now;

    /** Told on the loop. */
    interface Outcome {
        void ready(Piece piece);

        void givenUp(Piece piece, StoreFailure why);

        /** Whether another attempt could not help: then its readers had better ask anew. */
        boolean hopeless(Piece piece);
    }

    Fetcher(Surroundings around, ReadPolicy policy, Backoff backoff, Outcome outcome) {
        this.around = around;
        this.policy = policy;
        this.backoff = backoff;
        this.outcome = outcome;
    }

    /** For a reader that waits for it, or for what lies before it. */
    void fetch(Piece piece) {
        wanted.add(piece);
        startNext();
    }

    void fetchAhead(Piece piece) {
        ahead.add(piece);
        startNext();
    }

    /** Promotes a piece that was to be read ahead: a request waits for it now. */
    void hurry(Piece piece) {
        if (ahead.remove(piece)) {
            wanted.add(piece);
        }
    }

    /** Takes up the retries that are due. Returns how many. */
    int doWork(long time) {
        now = time;
        int due = 0;
        for (int i = paused.size() - 1; i >= 0; i--) {
            Piece piece = paused.get(i);
            if (piece.retryAt <= time) {
                paused.remove(i);
                if (piece.state == State.PAUSED) {
                    piece.state = State.QUEUED;
                    fetch(piece);
                    due++;
                }
            }
        }
        return due;
    }

    private void startNext() {
        ArrayDeque<Piece> queue = wanted.isEmpty() ? ahead : wanted;
        while (!queue.isEmpty()) {
            Piece next = queue.getFirst();
            boolean dropped = next.state == State.DROPPED;
            if (!dropped && !policy.oneMore(running, runningBytes + next.span.storedLength())) {
                return;
            }
            queue.removeFirst();
            if (!dropped) {
                start(next);
            }
            queue = wanted.isEmpty() ? ahead : wanted;
        }
    }

    private void start(Piece piece) {
        running++;
        runningBytes += piece.span.storedLength();
        piece.state = State.RUNNING;
        Span span = piece.span;
        int container = around.host().container();
        String name = ObjectNames.of(container, span.range().object());
        around.tasks().start("read " + name, () -> around.completions().add(read(piece, span, name)));
    }

    private void ended(Piece piece) {
        running--;
        runningBytes -= piece.span.storedLength();
    }

    /** On a virtual thread. */
    private Completion read(Piece piece, Span span, String name) {
        if (around.completions().closed()) {
            return new Failed(piece, new StoreFailure.TierUnavailable("The container's term is over"));
        }
        try {
            return new Read(piece, read(span, name));
        } catch (DamagedBlockException e) {
            return new Failed(piece, new StoreFailure.Corrupt(e.getMessage()));
        } catch (ObjectStoreException e) {
            return new Failed(piece, new StoreFailure.TierUnavailable(e.getMessage()));
        } catch (RuntimeException | Error e) {
            return new Failed(piece, new StoreFailure.TierUnavailable("Reading " + name + ": " + e));
        }
    }

    private ByteBuf read(Span span, String name) throws ObjectStoreException, DamagedBlockException {
        ByteBuf stored = around.store().read(name, span.storedOffset(), span.storedLength(), around.allocator());
        try {
            return span.open(stored, around.allocator());
        } finally {
            stored.release();
        }
    }

    /** {@code data} is owned until retired or abandoned. */
    private final class Read implements Completion {
        private final Piece piece;
        private final ByteBuf data;

        Read(Piece piece, ByteBuf data) {
            this.piece = piece;
            this.data = data;
        }

        @Override
        public void retire() {
            ended(piece);
            if (piece.state == State.DROPPED) {
                data.release();
            } else {
                piece.ready(data);
                outcome.ready(piece);
            }
            startNext();
        }

        @Override
        public void abandon() {
            data.release();
        }
    }

    private final class Failed implements Completion {
        private final Piece piece;
        private final StoreFailure why;

        Failed(Piece piece, StoreFailure why) {
            this.piece = piece;
            this.why = why;
        }

        @Override
        public void retire() {
            ended(piece);
            if (piece.state != State.DROPPED) {
                failed();
            }
            startNext();
        }

        private void failed() {
            piece.failures++;
            int attempts = why instanceof StoreFailure.Corrupt
                    ? Math.min(ATTEMPTS_WHEN_DAMAGED, policy.attempts())
                    : policy.attempts();
            if (!piece.awaited() || piece.failures >= attempts || outcome.hopeless(piece)) {
                outcome.givenUp(piece, why);
            } else {
                piece.state = State.PAUSED;
                piece.retryAt = now + backoff.pauseMillis(piece.failures, around.random());
                paused.add(piece);
            }
        }

        @Override
        public void abandon() {}
    }
}
