package io.sluice.store.sim;

import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A metadata store behind a client and a network. */
final class SimMetadata implements Metadata {
    private final InMemoryMetadata stored;
    private final SimFaults faults;

    SimMetadata(InMemoryMetadata stored, SimFaults faults) {
        this.stored = stored;
        this.faults = faults;
    }

    private interface Call<T> {
        T make() throws IOException;
    }

    @Override
    public @Nullable Versioned get(String path) throws IOException {
        return call(() -> Optional.ofNullable(stored.get(path))).orElse(null);
    }

    @Override
    public long put(String path, byte[] value, long expectedVersion) throws IOException {
        return call(() -> stored.put(path, value, expectedVersion));
    }

    @Override
    public void delete(String path, long expectedVersion) throws IOException {
        call(() -> {
            stored.delete(path, expectedVersion);
            return 0;
        });
    }

    @Override
    public List<String> children(String path) throws IOException {
        return call(() -> stored.children(path));
    }

    private <T> T call(Call<T> call) throws IOException {
        switch (faults.trouble()) {
            case NONE -> {
                return call.make();
            }
            case REFUSED -> throw new IOException("planted: refused");
            case REPLY_LOST -> {
                call.make();
                throw new IOException("planted: the answer was lost");
            }
            case HAPPENS_LATER -> {
                faults.later(() -> {
                    try {
                        call.make();
                    } catch (IOException e) {
                        // somebody else was first
                    }
                });
                throw new IOException("planted: no answer");
            }
            case SENT_TWICE -> {
                call.make();
                return call.make();
            }
            case THROWN_BEFORE -> throw new IllegalStateException("planted: thrown before the call");
            case THROWN_AFTER -> {
                call.make();
                throw new IllegalStateException("planted: thrown after the call");
            }
            case SLOW_TO_HAPPEN -> {
                faults.aMinutePasses();
                return call.make();
            }
            case SLOW_TO_ANSWER -> {
                T answer = call.make();
                faults.aMinutePasses();
                return answer;
            }
            case NEVER_HAPPENS -> {
                faults.theDeadlinePasses();
                throw new IOException("planted: no answer within the deadline");
            }
            case NEVER_ANSWERS -> {
                call.make();
                faults.theDeadlinePasses();
                throw new IOException("planted: no answer within the deadline");
            }
        }
        throw new IllegalStateException();
    }

    @Override
    public Watch watch(String root, Watcher watcher) {
        return stored.watch(root, watcher);
    }

    @Override
    public void close() {}
}
