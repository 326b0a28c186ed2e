package io.sluice.bookie.assembly;

import io.sluice.store.cluster.PulsarMetadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.meta.LedgerIdGenerator;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataBookieDriver;

/** Ids that BookKeeper gives ledgers, by a counter of the metadata store. */
public final class LedgerIds {
    private static final int AT_ONCE = 64;
    private static final long PATIENCE_SECONDS = 30;

    private LedgerIds() {}

    /**
     * Makes the ids of new ledgers of {@code to} greater than those that {@code from} has given: a bookie that goes on with the ledgers of {@code
     * from} still has some that were deleted, and must not take them for new ones. Each id takes about a millisecond, less with many at once.
     */
    public static void advance(PulsarMetadata from, PulsarMetadata to) throws IOException {
        long given = pass(from, -1);
        long ignored = pass(to, given);
    }

    /** Takes ids until one is greater than {@code id}, and returns the greatest. */
    private static long pass(PulsarMetadata metadata, long id) throws IOException {
        var driver = new PulsarMetadataBookieDriver();
        try {
            driver.initialize(BookieConfigurations.ofMetadata(metadata), NullStatsLogger.INSTANCE);
            try (LedgerIdGenerator ids = driver.getLedgerManagerFactory().newLedgerIdGenerator()) {
                long greatest = -1;
                while (greatest <= id) {
                    greatest = take(ids, (int) Math.clamp(id - greatest, 1, AT_ONCE));
                }
                return greatest;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (IOException e) {
            throw e;
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the metadata store gives no id of a ledger: " + e.getMessage(), e);
        } catch (Exception e) {
            throw new IOException("BookKeeper's metadata cannot be used: " + e.getMessage(), e);
        } finally {
            driver.close();
        }
    }

    private static long take(LedgerIdGenerator ids, int count)
            throws InterruptedException, ExecutionException, TimeoutException {
        List<CompletableFuture<Long>> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(next(ids));
        }
        long greatest = -1;
        for (CompletableFuture<Long> each : asked) {
            greatest = Math.max(greatest, each.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
        return greatest;
    }

    private static CompletableFuture<Long> next(LedgerIdGenerator ids) {
        var next = new CompletableFuture<Long>();
        ids.generateLedgerId((code, id) -> {
            if (code == BKException.Code.OK) {
                next.complete(id);
            } else {
                next.completeExceptionally(BKException.create(code));
            }
        });
        return next;
    }
}
