package io.sluice.store.wal.bookkeeper;

import io.sluice.store.cluster.Metadata;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.concurrent.locks.Lock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The chain of one container as this term holds it: the last value known to be stored, and the version to replace.
 *
 * <p>No other process may write it during the term, so a chain of another term means that this one is over. A version that does not match
 * does not: the metadata client sends a put again after a lost connection, and a put that timed out may land later. So the stored
 * chain is read after every failure, and the change is made again on it if it is of this term.
 */
final class ChainRecord implements TermChain {
    /** Puts of one change; each but the first follows a chain of this term that was not known before. */
    private static final int ATTEMPTS = 4;

    private final Metadata metadata;
    private final String path;
    private final Lock lock;
    private volatile LedgerChain chain;
    private long version;
    /** A put may have landed, and reading it back failed. */
    private boolean uncertain;

    private ChainRecord(Metadata metadata, String path, Lock lock, LedgerChain chain, long version) {
        this.metadata = metadata;
        this.path = path;
        this.lock = lock;
        this.chain = chain;
        this.version = version;
    }

    static String path(int container) {
        return "/sluice/containers/" + container + "/log";
    }

    /**
     * Raises the term. When this returns, the holder of the former term can no longer change the chain.
     *
     * @param owner different at every call, so that a stored chain tells whose it is
     * @param lock of this record alone, held while metadata is asked
     */
    static ChainRecord takeOver(Metadata metadata, int container, String owner, Lock lock) throws WalException {
        String path = path(container);
        try {
            Metadata.Versioned stored = metadata.get(path);
            LedgerChain before = stored == null ? LedgerChain.EMPTY : LedgerChainCodec.decode(stored.value());
            long version = stored == null ? Metadata.ABSENT : stored.version();
            ChainRecord record = new ChainRecord(metadata, path, lock, before.takenOver(owner), version);
            record.write(record.chain);
            return record;
        } catch (IOException e) {
            throw new WalException.Unavailable("cannot read " + path + ": " + e.getMessage(), e);
        }
    }

    static boolean exists(Metadata metadata, int container) throws WalException {
        try {
            return metadata.get(path(container)) != null;
        } catch (IOException e) {
            throw new WalException.Unavailable("cannot read " + path(container) + ": " + e.getMessage(), e);
        }
    }

    /** Deletes the record of a chain that has no ledgers any more; one that has some is left, and so is a newer owner's. */
    void delete() throws WalException {
        lock.lock();
        try {
            if (!chain.ledgers().isEmpty() || !chain.doomed().isEmpty()) {
                throw new WalException.Unavailable("not all ledgers of " + path + " are deleted yet", null);
            }
            metadata.delete(path, version);
        } catch (IOException e) {
            throw unavailable("cannot delete " + path, e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public LedgerChain chain() {
        return chain;
    }

    @Override
    public LedgerChain change(UnaryOperator<LedgerChain> change) throws WalException {
        lock.lock();
        try {
            if (uncertain) {
                readBack("cannot read " + path, null);
            }
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                LedgerChain changed = change.apply(chain);
                if (changed.equals(chain) || write(changed)) {
                    return chain;
                }
            }
            throw new WalException.Unavailable(path + " keeps changing under its owner", null);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isStored(long ledgerId) throws IOException {
        Metadata.Versioned stored = metadata.get(path);
        return stored != null && LedgerChainCodec.decode(stored.value()).knows(ledgerId);
    }

    /** False if the chain was another than known; it is known now. */
    private boolean write(LedgerChain changed) throws WalException {
        byte[] bytes = LedgerChainCodec.encode(changed);
        long replaced = version;
        try {
            version = metadata.put(path, bytes, version);
            chain = changed;
            return true;
        } catch (Metadata.VersionMismatch e) {
            readBack("cannot read " + path + " back", e);
            return chain.equals(changed);
        } catch (IOException | RuntimeException e) {
            readBack("cannot write " + path, e);
            if (version == replaced) {
                // not there yet, but it may still come
                throw unavailable("cannot write " + path, e);
            }
            return chain.equals(changed);
        }
    }

    private void readBack(String what, @Nullable Exception failure) throws WalException {
        uncertain = true;
        try {
            Metadata.Versioned stored = metadata.get(path);
            LedgerChain there = stored == null ? LedgerChain.EMPTY : LedgerChainCodec.decode(stored.value());
            if (stored != null && there.isOf(chain)) {
                chain = there;
            } else if (stored == null ? version != Metadata.ABSENT : stored.version() != version) {
                throw new WalException.Fenced("another owner has taken " + path + " over", failure);
            }
            version = stored == null ? Metadata.ABSENT : stored.version();
            uncertain = false;
        } catch (IOException | RuntimeException e) {
            if (failure != null) {
                e.addSuppressed(failure);
            }
            throw unavailable(what, e);
        }
    }

    private static WalException unavailable(String what, Exception cause) {
        return new WalException.Unavailable(what + ": " + cause.getMessage(), cause);
    }
}
