package io.sluice.store.wal.bookkeeper;

import io.sluice.store.cluster.Metadata;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/**
 * The chain of one container as this term holds it: the last value written, and the version to replace.
 *
 * <p>Nobody else may write it during the term, so a lost compare-and-set means the term is over.
 */
final class ChainRecord {
    private final Metadata metadata;
    private final String path;
    private final ReentrantLock lock = new ReentrantLock();
    private LedgerChain chain;
    private long version;

    private ChainRecord(Metadata metadata, String path, LedgerChain chain, long version) {
        this.metadata = metadata;
        this.path = path;
        this.chain = chain;
        this.version = version;
    }

    static String path(int container) {
        return "/sluice/containers/" + container + "/log";
    }

    /** Raises the term. Whoever held the term before can change the chain no more when this returns. */
    static ChainRecord takeOver(Metadata metadata, int container, String owner) throws WalException {
        String path = path(container);
        try {
            Metadata.Versioned stored = metadata.get(path);
            ChainRecord record = stored == null
                    ? new ChainRecord(metadata, path, LedgerChain.EMPTY, Metadata.ABSENT)
                    : new ChainRecord(metadata, path, LedgerChainCodec.decode(stored.value()), stored.version());
            record.change(before -> before.takenOver(owner));
            return record;
        } catch (IOException e) {
            throw new WalException.Unavailable("cannot read " + path + ": " + e.getMessage(), e);
        }
    }

    LedgerChain chain() {
        lock.lock();
        try {
            return chain;
        } finally {
            lock.unlock();
        }
    }

    /** @return the chain as it is now stored */
    LedgerChain change(UnaryOperator<LedgerChain> change) throws WalException {
        lock.lock();
        try {
            LedgerChain changed = change.apply(chain);
            if (!changed.equals(chain)) {
                version = write(LedgerChainCodec.encode(changed));
                chain = changed;
            }
            return chain;
        } finally {
            lock.unlock();
        }
    }

    private long write(byte[] bytes) throws WalException {
        try {
            return metadata.put(path, bytes, version);
        } catch (Metadata.VersionMismatch e) {
            throw new WalException.Fenced("another owner has taken " + path + " over", e);
        } catch (IOException e) {
            return versionIfWritten(bytes, e);
        }
    }

    /** After a failure it is unknown whether the write happened; reading tells. */
    private long versionIfWritten(byte[] bytes, IOException failure) throws WalException {
        try {
            Metadata.Versioned stored = metadata.get(path);
            if (stored != null && stored.version() != version && Arrays.equals(stored.value(), bytes)) {
                return stored.version();
            }
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        throw new WalException.Unavailable("cannot write " + path + ": " + failure.getMessage(), failure);
    }
}
