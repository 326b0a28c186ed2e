package io.sluice.server.containers;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** One node's way to the metadata that all share. It can go silent: calls then wait, and fail when it is mended. */
final class MetadataLink implements Metadata {
    private final Metadata shared;
    private CountDownLatch open = new CountDownLatch(0);

    MetadataLink(Metadata shared) {
        this.shared = shared;
    }

    synchronized void cut() {
        open = new CountDownLatch(1);
    }

    synchronized void mend() {
        open.countDown();
    }

    private synchronized CountDownLatch state() {
        return open;
    }

    private void pass() throws IOException {
        CountDownLatch now = state();
        if (now.getCount() > 0) {
            try {
                now.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new IOException("no answer");
        }
    }

    @Override
    public @Nullable Versioned get(String path) throws IOException {
        pass();
        return shared.get(path);
    }

    @Override
    public long put(String path, byte[] value, long expectedVersion) throws IOException {
        pass();
        return shared.put(path, value, expectedVersion);
    }

    @Override
    public void delete(String path, long expectedVersion) throws IOException {
        pass();
        shared.delete(path, expectedVersion);
    }

    @Override
    public List<String> children(String path) throws IOException {
        pass();
        return shared.children(path);
    }

    @Override
    public Watch watch(String root, Watcher watcher) {
        return shared.watch(root, watcher);
    }

    @Override
    public void close() {}
}
