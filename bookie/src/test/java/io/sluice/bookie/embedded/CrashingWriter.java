package io.sluice.bookie.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;

/** A process that appends numbered frames and prints each number once it is acknowledged, until it is killed. */
final class CrashingWriter {
    static final String CLUSTER = "crash-test";
    private static final int FRAME_BYTES = 20_000;
    private static final int MOST_IN_FLIGHT = 32;

    private CrashingWriter() {}

    /**
     * @param arguments the folder, after how many frames to go on in a new ledger and drop the last but one, and whether the
     *     disk's sync is waited for
     */
    public static void main(String[] arguments) throws Exception {
        long rollAfter = Long.parseLong(arguments[1]);
        Bookie bookie = Bookie.start(Path.of(arguments[0]));
        Wal wal = new BookKeeperWalStore(
                        bookie.embedded().clients(), bookie.metadata(), LedgerSettings.STANDALONE, CLUSTER, "node")
                .open(
                        1,
                        new Durability(
                                Durability.Copies.ACK_QUORUM,
                                Boolean.parseBoolean(arguments[2]) ? Durability.Sync.WAIT : Durability.Sync.DEFER));
        LedgerWriter ledger = wal.startLedger();
        Semaphore inFlight = new Semaphore(MOST_IN_FLIGHT);
        for (long number = 0; ; number++) {
            if (number > 0 && number % rollAfter == 0) {
                inFlight.acquire(MOST_IN_FLIGHT);
                inFlight.release(MOST_IN_FLIGHT);
                wal.truncate(ledger.ledger());
                ledger.close();
                ledger = wal.startLedger();
            }
            inFlight.acquire();
            ByteBuf frame = PooledByteBufAllocator.DEFAULT.directBuffer(FRAME_BYTES);
            frame.writeLong(number).writeZero(FRAME_BYTES - Long.BYTES);
            ledger.append(frame, new Printing(number, frame, inFlight));
        }
    }

    private record Printing(long number, ByteBuf frame, Semaphore inFlight) implements LedgerWriter.Callback {
        @Override
        public void durable() {
            System.out.println(number);
            if (System.out.checkError()) {
                // nobody reads it any more, so nobody will end this process either
                Runtime.getRuntime().halt(1);
            }
            frame.release();
            inFlight.release();
        }

        @Override
        public void failed(WalException why) {
            System.out.println(why.getMessage());
            System.exit(1);
        }
    }
}
