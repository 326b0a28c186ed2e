package io.sluice.perf.cache;

import java.util.Locale;

/** The caches that are compared. Constants are values of a JMH parameter. */
public enum Contestant {
    SLUICE {
        @Override
        CacheUnderTest open(Room room) {
            return new SluiceCache(room);
        }
    },
    HEAP {
        @Override
        CacheUnderTest open(Room room) {
            return new HeapMap();
        }
    },
    ROCKSDB {
        @Override
        CacheUnderTest open(Room room) {
            return new RocksDbCache(room);
        }
    },
    PRAVEGA {
        @Override
        CacheUnderTest open(Room room) {
            return new PravegaCache(room);
        }
    };

    abstract CacheUnderTest open(Room room);

    /** In tables and files. */
    String title() {
        return name().toLowerCase(Locale.ROOT);
    }
}
