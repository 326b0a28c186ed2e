package io.sluice.tiering.objectstore.filesystem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DiskTurnsTest {
    private static final int PIECE = DiskTurns.PIECE_BYTES;

    private final DiskTurns turns = new DiskTurns();

    @Test
    void aFewMoveAtATimeAndTheOthersAfterThem() throws Exception {
        AtomicInteger moving = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch full = new CountDownLatch(DiskTurns.AT_A_TIME);
        int files = 4 * DiskTurns.AT_A_TIME;
        try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> moves = new ArrayList<>();
            for (int file = 0; file < files; file++) {
                Callable<Boolean> move = () -> {
                    ByteBuffer buffer = ByteBuffer.allocate(100);
                    turns.move(
                            (piece, _) -> {
                                most.accumulateAndGet(moving.incrementAndGet(), Math::max);
                                full.countDown();
                                boolean together = awaited(full);
                                moving.decrementAndGet();
                                int bytes = piece.remaining();
                                piece.position(piece.limit());
                                return together ? bytes : -1;
                            },
                            0,
                            buffer,
                            100);
                    return !buffer.hasRemaining();
                };
                moves.add(tasks.submit(move));
            }
            for (Future<Boolean> move : moves) {
                assertThat(move.get(1, TimeUnit.MINUTES)).isTrue();
            }
        }
        assertThat(most).hasValue(DiskTurns.AT_A_TIME);
    }

    @Test
    void goesOnBehindWhatWasMovedAPieceAtATime() throws IOException {
        List<String> seen = new ArrayList<>();
        ByteBuffer buffer = ByteBuffer.allocate(2 * PIECE + 10);
        turns.move(
                (piece, position) -> {
                    seen.add(position + ": " + piece.remaining());
                    int bytes = seen.size() == 1 ? 4096 : piece.remaining();
                    piece.position(piece.position() + bytes);
                    return bytes;
                },
                8192,
                buffer,
                buffer.limit());
        assertThat(seen)
                .containsExactly(
                        "8192: " + PIECE, 8192 + 4096 + ": " + PIECE, 8192 + 4096 + PIECE + ": " + (PIECE + 10 - 4096));
        assertThat(buffer.remaining()).isZero();
    }

    @Test
    void aFileThatEndsOrFailsGivesItsTurnBack() {
        for (int i = 0; i < 2 * DiskTurns.AT_A_TIME; i++) {
            assertThatThrownBy(() -> turns.move((_, _) -> -1, 0, ByteBuffer.allocate(10), 10))
                    .isInstanceOf(EOFException.class);
            assertThatThrownBy(() -> turns.move(
                            (_, _) -> {
                                throw new IOException("broken");
                            },
                            0,
                            ByteBuffer.allocate(10),
                            10))
                    .hasMessage("broken");
        }
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
