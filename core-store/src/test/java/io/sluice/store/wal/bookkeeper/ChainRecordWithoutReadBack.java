package io.sluice.store.wal.bookkeeper;

import io.sluice.store.cluster.Metadata;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.concurrent.locks.Lock;
import java.util.function.UnaryOperator;

/**
 * A mistake, to see that the simulation finds it: a version that does not match is taken for another owner's put, and what has failed
 * for not stored, though the metadata client sends a put again after a lost connection.
 */
final class ChainRecordWithoutReadBack implements TermChain {
    private final Metadata metadata;
    private final String path;
    private final Lock lock;
    private volatile LedgerChain chain;
    private long version;

    private ChainRecordWithoutReadBack(Metadata metadata, String path, Lock lock, LedgerChain chain, long version) {
        this.metadata = metadata;
        this.path = path;
        this.lock = lock;
        this.chain = chain;
        this.version = version;
    }

    static TermChain takeOver(Metadata metadata, int container, String owner, Lock lock) throws WalException {
        String path = ChainRecord.path(container);
        try {
            Metadata.Versioned stored = metadata.get(path);
            LedgerChain before = stored == null ? LedgerChain.EMPTY : LedgerChainCodec.decode(stored.value());
            long version = stored == null ? Metadata.ABSENT : stored.version();
            var record = new ChainRecordWithoutReadBack(metadata, path, lock, before, version);
            record.change(each -> each.takenOver(owner));
            return record;
        } catch (IOException e) {
            throw new WalException.Unavailable("cannot read " + path, e);
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
            LedgerChain changed = change.apply(chain);
            version = metadata.put(path, LedgerChainCodec.encode(changed), version);
            chain = changed;
            return changed;
        } catch (Metadata.VersionMismatch e) {
            throw new WalException.Fenced("another owner has taken " + path + " over", e);
        } catch (IOException e) {
            throw new WalException.Unavailable("cannot write " + path, e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isStored(long ledgerId) {
        return false;
    }
}
