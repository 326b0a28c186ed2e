package io.sluice.bookie.journal;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes of a file, at any position. Big endian. For one thread at a time. */
interface FileBytes extends AutoCloseable {
    long size();

    int intAt(long at) throws IOException;

    long longAt(long at) throws IOException;

    /** Valid until the next call, unless the implementation says more. */
    ByteBuffer slice(long at, int length) throws IOException;

    @Override
    void close() throws IOException;
}
