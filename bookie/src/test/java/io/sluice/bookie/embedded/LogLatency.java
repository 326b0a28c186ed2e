package io.sluice.bookie.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * What the embedded log takes to make a frame durable at a steady rate: {@code LogLatency FOLDER MB/s SECONDS FRAME-KiB}. Frame n
 * is due at a fixed time, whatever became of those before it. The first third is warm-up. Also prints the bytes that the
 * process made the disk write per byte appended.
 */
public final class LogLatency {
    private static final long LEDGER_BYTES = 64 << 20;
    private static final BookieSettings SETTINGS = new BookieSettings(
            "latency", BookieSettings.DEFAULT.journalFileBytes(), 1 << 30, 128 << 20, 256 << 20, Duration.ofSeconds(1));

    private final Wal wal;
    private final int frameBytes;
    private final long[] nanos;
    private final CountDownLatch answered;
    private LedgerWriter ledger;
    private CompletableFuture<LedgerWriter> next;

    private LogLatency(Wal wal, int frames, int frameBytes) throws WalException {
        this.wal = wal;
        this.frameBytes = frameBytes;
        this.nanos = new long[frames];
        this.answered = new CountDownLatch(frames);
        this.ledger = wal.startLedger();
        this.next = prepareNext();
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        double bytesPerSecond = Double.parseDouble(arguments[1]) * 1e6;
        int frameBytes = Integer.parseInt(arguments[3]) << 10;
        int frames = (int) (bytesPerSecond * Integer.parseInt(arguments[2]) / frameBytes);
        try (PulsarMetadata metadata =
                        PulsarMetadata.open("rocksdb:" + folder.resolve("metadata"), Duration.ofSeconds(10));
                EmbeddedBookie bookie = EmbeddedBookie.start(folder.resolve("bookie"), metadata, SETTINGS);
                BookKeeperWalStore store = new BookKeeperWalStore(
                        bookie.clients(), metadata, LedgerSettings.STANDALONE, CrashingWriter.CLUSTER, "node")) {
            new LogLatency(store.open(1), frames, frameBytes).run(bytesPerSecond);
        }
    }

    private void run(double bytesPerSecond) throws Exception {
        ByteBuf frame = PooledByteBufAllocator.DEFAULT.directBuffer(frameBytes).writeZero(frameBytes);
        long framesPerLedger = LEDGER_BYTES / frameBytes;
        long start = System.nanoTime();
        int warm = nanos.length / 3;
        long writtenBefore = 0;
        for (int n = 0; n < nanos.length; n++) {
            if (n == warm) {
                writtenBefore = written();
            }
            if (n > 0 && n % framesPerLedger == 0) {
                roll();
            }
            long due = start + (long) (n * (double) frameBytes / bytesPerSecond * 1e9);
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            ledger.append(frame, new Timed(n, due));
        }
        answered.await();
        double perByte = (written() - writtenBefore) / ((nanos.length - warm) * (double) frameBytes);
        frame.release();
        long[] measured = Arrays.copyOfRange(nanos, warm, nanos.length);
        Arrays.sort(measured);
        System.out.printf(
                "%d frames of %d KiB: p50 %.2f p99 %.2f p99.9 %.2f max %.2f ms, %.2f bytes to disk per byte%n",
                measured.length,
                frameBytes >> 10,
                millis(measured, 0.5),
                millis(measured, 0.99),
                millis(measured, 0.999),
                millis(measured, 1),
                perByte);
    }

    private static double millis(long[] sorted, double share) {
        return sorted[(int) Math.min(sorted.length - 1L, (long) (share * sorted.length))] / 1e6;
    }

    /** Everything before the ledger that begins now is dropped, as if it had been stored elsewhere. */
    private void roll() {
        LedgerWriter before = ledger;
        ledger = next.join();
        long first = before.ledger();
        next = prepareNext();
        Thread.ofVirtual().start(() -> {
            try {
                wal.truncate(first);
            } catch (WalException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private CompletableFuture<LedgerWriter> prepareNext() {
        var prepared = new CompletableFuture<LedgerWriter>();
        Thread.ofVirtual().start(() -> {
            try {
                prepared.complete(wal.startLedger());
            } catch (WalException e) {
                prepared.completeExceptionally(e);
            }
        });
        return prepared;
    }

    private static long written() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/io"))) {
            return lines.filter(line -> line.startsWith("write_bytes:"))
                    .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                    .sum();
        }
    }

    private final class Timed implements LedgerWriter.Callback {
        private final int number;
        private final long due;

        Timed(int number, long due) {
            this.number = number;
            this.due = due;
        }

        @Override
        public void durable() {
            nanos[number] = System.nanoTime() - due;
            answered.countDown();
        }

        @Override
        public void failed(WalException why) {
            System.err.println(why.getMessage());
            System.exit(1);
        }
    }
}
