package io.sluice.broker.identity;

import java.io.IOException;
import java.util.Arrays;

/** Value made of the content of files, and made again once that has changed. Any thread. */
final class FromFiles<T> {
    private final Content content;
    private final Maker<T> maker;
    private byte[] read;
    private volatile T made;

    /** Reads all the files. Blocks. */
    interface Content {
        byte[] read() throws IOException;
    }

    /** Makes the value; may read the files once more. */
    interface Maker<T> {
        T make(byte[] content) throws IOException;
    }

    /** @throws IOException a file cannot be read, or is not what it should be; in one line */
    FromFiles(Content content, Maker<T> maker) throws IOException {
        this.content = content;
        this.maker = maker;
        this.read = content.read();
        this.made = maker.make(read);
    }

    T get() {
        return made;
    }

    /**
     * Reads the files again. Blocks.
     *
     * @return whether they had changed
     * @throws IOException as when it is made; the value stays
     */
    synchronized boolean reload() throws IOException {
        byte[] now = content.read();
        if (Arrays.equals(now, read)) {
            return false;
        }
        made = maker.make(now);
        read = now;
        return true;
    }
}
