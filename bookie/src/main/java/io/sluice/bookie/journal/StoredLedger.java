package io.sluice.bookie.journal;

import static org.apache.bookkeeper.bookie.LastAddConfirmedUpdateNotification.WATCHER_RECYCLER;

import java.util.Arrays;
import org.apache.bookkeeper.bookie.BookieException;
import org.apache.bookkeeper.bookie.LastAddConfirmedUpdateNotification;
import org.apache.bookkeeper.common.util.Watchable;
import org.apache.bookkeeper.common.util.Watcher;
import org.jspecify.annotations.Nullable;

/** A bookie's state of a ledger besides its entries; any thread. */
final class StoredLedger {
    static final long NONE = -1;

    private final long id;

    /** Oldest stretch of the journal that has records of it, see {@link RetainedJournal}. */
    volatile long since;

    private final Watchable<LastAddConfirmedUpdateNotification> watchers = new Watchable<>(WATCHER_RECYCLER);
    private byte @Nullable [] masterKey;
    private byte @Nullable [] explicitLac;
    private boolean fenced;
    private boolean limbo;
    private boolean deleted;
    private long lastEntry = NONE;
    private long lastConfirmed = NONE;

    StoredLedger(long id, long since) {
        this.id = id;
        this.since = since;
    }

    long id() {
        return id;
    }

    synchronized byte @Nullable [] masterKey() {
        return masterKey;
    }

    /** The first that is set stays. */
    synchronized void masterKey(byte[] key) throws BookieException {
        if (masterKey == null) {
            masterKey = key;
        } else if (!Arrays.equals(masterKey, key)) {
            throw BookieException.create(BookieException.Code.UnauthorizedAccessException);
        }
    }

    synchronized boolean fenced() {
        return fenced;
    }

    /** False if it was fenced before. */
    synchronized boolean fence() {
        boolean first = !fenced;
        fenced = true;
        return first;
    }

    /** Whether entries and a fence may have been lost: what is here is true, what is not says nothing. */
    synchronized boolean limbo() {
        return limbo;
    }

    synchronized void limbo(boolean set) {
        limbo = set;
    }

    synchronized byte @Nullable [] explicitLac() {
        return explicitLac;
    }

    synchronized void explicitLac(byte[] lac) {
        explicitLac = lac;
    }

    synchronized long lastEntry() {
        return lastEntry;
    }

    synchronized long lastConfirmed() {
        return lastConfirmed;
    }

    void added(long entry, long confirmed) {
        synchronized (this) {
            lastEntry = Math.max(lastEntry, entry);
        }
        confirmed(confirmed);
    }

    void confirmed(long confirmed) {
        synchronized (this) {
            if (confirmed <= lastConfirmed) {
                return;
            }
            lastConfirmed = confirmed;
        }
        watchers.notifyWatchers(LastAddConfirmedUpdateNotification.FUNC, confirmed);
    }

    /** False, and not watched, if the last confirmed entry is already beyond {@code previous}. */
    synchronized boolean watch(long previous, Watcher<LastAddConfirmedUpdateNotification> watcher) {
        return !deleted && lastConfirmed <= previous && watchers.addWatcher(watcher);
    }

    void unwatch(Watcher<LastAddConfirmedUpdateNotification> watcher) {
        watchers.deleteWatcher(watcher);
    }

    void delete() {
        long told;
        synchronized (this) {
            deleted = true;
            told = lastConfirmed;
        }
        watchers.notifyWatchers(LastAddConfirmedUpdateNotification.FUNC, told);
    }
}
