package io.sluice.perf.cache;

import io.sluice.perf.peer.PeerFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * RocksDB as a cache: no log, no compression (the bytes are random), set up for look-ups of single keys, with a block cache that
 * could hold everything. Its files lie in the system's temporary folder.
 */
final class RocksDbCache implements CacheUnderTest {
    private static final int WRITE_BUFFERS = 4;
    private static final long WRITE_BUFFER_BYTES = 64 << 20;

    static {
        RocksDB.loadLibrary();
    }

    private final Path folder;
    private final Options options;
    private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
    private final ReadOptions reads = new ReadOptions();
    private final byte[] keyBytes = new byte[Long.BYTES];
    private final ByteBuffer keyBuffer = ByteBuffer.wrap(keyBytes);
    private RocksDB database;

    RocksDbCache(Room room) {
        options = new Options()
                .setCreateIfMissing(true)
                .optimizeForPointLookup((room.payloadBytes() >> 20) + 1)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setWriteBufferSize(WRITE_BUFFER_BYTES)
                .setMaxWriteBufferNumber(WRITE_BUFFERS);
        try {
            folder = Files.createTempDirectory("perf-cache");
            database = RocksDB.open(options, folder.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    @Override
    public void insert(int key, byte[] source, int offset, int length) {
        try {
            database.put(unlogged, key(key), 0, Long.BYTES, source, offset, length);
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    @Override
    public int get(int key, byte[] destination) {
        try {
            int length = database.get(reads, key(key), destination);
            if (length < 0) {
                throw new IllegalStateException("there is no entry " + key);
            }
            return length;
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    @Override
    public void delete(int key) {
        try {
            database.delete(unlogged, key(key));
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    /** A new database: deletions would still be compacted in the background while the next test runs. */
    @Override
    public void clear() {
        database.close();
        try {
            RocksDB.destroyDB(folder.toString(), options);
            database = RocksDB.open(options, folder.toString());
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() {
        database.close();
        options.close();
        unlogged.close();
        reads.close();
        try {
            PeerFolder.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] key(int key) {
        keyBuffer.putLong(0, key);
        return keyBytes;
    }

    private static IllegalStateException failed(RocksDBException e) {
        return new IllegalStateException("RocksDB failed: " + e.getMessage(), e);
    }
}
