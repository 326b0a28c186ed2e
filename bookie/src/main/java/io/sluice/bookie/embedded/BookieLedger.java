package io.sluice.bookie.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.bookie.journal.DeferredSync;
import io.sluice.store.wal.bookkeeper.OpenLedger;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.apache.bookkeeper.bookie.Bookie;
import org.apache.bookkeeper.bookie.BookieException;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.client.LedgerMetadataBuilder;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.WriteFlag;
import org.apache.bookkeeper.meta.LedgerManager;
import org.apache.bookkeeper.net.BookieId;
import org.apache.bookkeeper.proto.BookkeeperInternalCallbacks.WriteCallback;
import org.apache.bookkeeper.proto.DataFormats.LedgerMetadataFormat.DigestType;
import org.apache.bookkeeper.proto.checksum.DigestManager;
import org.apache.bookkeeper.util.ByteBufList;
import org.apache.bookkeeper.versioning.Versioned;
import org.jspecify.annotations.Nullable;

/**
 * A ledger whose entries go straight to the bookie in this process: what BookKeeper's client, transport and request
 * processor would do in six threads, done in the caller's. The ledger is one like any other to who opens it.
 */
final class BookieLedger implements OpenLedger, WriteCallback {
    private static final int OK = BKException.Code.OK;

    private final Bookie bookie;
    private final LedgerManager ledgers;
    private final long id;
    private final byte[] masterKey;
    private final DigestManager digests;
    private final Answers to;
    /** Null if entries wait for the disk. */
    private final @Nullable DeferredSync deferred;

    private final Consumer<BookieLedger> onClose;

    private final Object lock = new Object();
    /** Without an answer, oldest first. */
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** How many of those the bookie has. */
    private int inBookie;

    private int failure = OK;
    private boolean dead;
    private long pushed = -1;
    private long pushedBytes;
    private long acknowledged = -1;
    private long acknowledgedBytes;
    /** On the disk, as every later entry says. */
    private volatile long confirmed = -1;

    private @Nullable CompletableFuture<?> closed;

    private record Waiting(Object context, int bytes) {}

    /**
     * @param sync of the bookie's journal
     * @param onClose told once
     */
    BookieLedger(
            Bookie bookie,
            LedgerManager ledgers,
            LedgerHandle created,
            byte[] password,
            DeferredSync sync,
            Answers to,
            Consumer<BookieLedger> onClose) {
        this.onClose = onClose;
        this.bookie = bookie;
        this.ledgers = ledgers;
        this.id = created.getId();
        this.to = to;
        deferred = created.getWriteFlags().contains(WriteFlag.DEFERRED_SYNC) ? sync : null;
        if (deferred != null) {
            deferred.begin(id);
        }
        digests = digests(id, password);
        try {
            masterKey = DigestManager.generateMasterKey(password);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    /** As BookKeeper's client has them. */
    static DigestManager digests(long ledger, byte[] password) {
        try {
            return DigestManager.instantiate(
                    ledger, password, DigestType.CRC32C, PooledByteBufAllocator.DEFAULT, false);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("CRC32C needs no provider", e);
        }
    }

    @Override
    public void append(ByteBuf entry, Object context) {
        int bytes = entry.readableBytes();
        synchronized (lock) {
            waiting.add(new Waiting(context, bytes));
            if (failure != OK) {
                entry.release();
                answerFailures();
                return;
            }
            inBookie++;
        }
        int code = push(entry, bytes);
        if (code != OK) {
            synchronized (lock) {
                if (!dead) {
                    inBookie--;
                }
                fails(code);
            }
        }
    }

    private int push(ByteBuf entry, int bytes) {
        if (bookie.isReadOnly()) {
            entry.release();
            return BKException.Code.WriteException;
        }
        pushed++;
        pushedBytes += bytes;
        ByteBufList packed = (ByteBufList)
                digests.computeDigestAndPackageForSending(pushed, confirmed, pushedBytes, entry, masterKey, 0);
        ByteBuf whole = Unpooled.wrappedBuffer(
                packed.getBuffer(0).retain(), packed.getBuffer(1).retain());
        packed.release();
        try {
            // releases the buffer, whatever comes of it
            bookie.addEntry(whole, deferred != null, this, id, masterKey);
            return OK;
        } catch (BookieException.LedgerFencedException | BookieException.LedgerFencedAndDeletedException e) {
            return BKException.Code.LedgerFencedException;
        } catch (BookieException | IOException e) {
            return BKException.Code.WriteException;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return BKException.Code.InterruptedException;
        }
    }

    /** By the journal's thread, in the order of the entries. */
    @Override
    public void writeComplete(int code, long ledger, long entry, @Nullable BookieId address, Object context) {
        synchronized (lock) {
            if (dead) {
                return;
            }
            inBookie--;
            if (code == OK && failure == OK) {
                Waiting answered = waiting.remove();
                acknowledged = entry;
                acknowledgedBytes += answered.bytes;
                if (deferred == null) {
                    confirmed = entry;
                }
                to.answered(OK, answered.context);
            } else {
                fails(BKException.Code.WriteException);
            }
        }
    }

    private void fails(int code) {
        failure = failure == OK ? code : failure;
        answerFailures();
    }

    /** Behind the answers of those before them. */
    private void answerFailures() {
        while (inBookie == 0 && !waiting.isEmpty()) {
            to.answered(failure, waiting.remove().context);
        }
    }

    /** The bookie will answer no more. */
    void abandon(int code) {
        synchronized (lock) {
            dead = true;
            inBookie = 0;
            fails(code);
        }
    }

    @Override
    public CompletableFuture<?> force() {
        if (deferred == null) {
            return CompletableFuture.completedFuture(null);
        }
        long upTo;
        synchronized (lock) {
            upTo = acknowledged;
        }
        return deferred.force().handle((forced, failure) -> {
            if (failure != null) {
                BKException failed = BKException.create(BKException.Code.WriteException);
                failed.initCause(failure);
                throw new CompletionException(failed);
            }
            synchronized (lock) {
                confirmed = Math.max(confirmed, upTo);
            }
            return null;
        });
    }

    @Override
    public CompletableFuture<?> close() {
        abandon(BKException.Code.LedgerClosedException);
        synchronized (lock) {
            if (closed == null) {
                onClose.accept(this);
                closed = force().thenCompose(forced -> {
                            leaveToTheDisk();
                            return ledgers.readLedgerMetadata(id);
                        })
                        .thenCompose(this::close);
            }
            return closed;
        }
    }

    private void leaveToTheDisk() {
        if (deferred != null) {
            deferred.end(id);
        }
    }

    private CompletableFuture<?> close(Versioned<LedgerMetadata> now) {
        LedgerMetadata metadata = now.getValue();
        if (metadata.getState() != LedgerMetadata.State.OPEN) {
            // only an owner that recovers it does that
            return CompletableFuture.failedFuture(BKException.create(BKException.Code.LedgerFencedException));
        }
        LedgerMetadata ended = LedgerMetadataBuilder.from(metadata)
                .withClosedState()
                .withLastEntryId(acknowledged)
                .withLength(acknowledgedBytes)
                .build();
        return ledgers.writeLedgerMetadata(id, ended, now.getVersion());
    }
}
