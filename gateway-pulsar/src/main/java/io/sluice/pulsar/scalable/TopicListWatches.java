package io.sluice.pulsar.scalable;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Clients that watch which topics a namespace has, whichever node makes or deletes them. Any thread. */
public final class TopicListWatches implements AutoCloseable {
    /** Bytes, about, that a watch remembers of a topic. */
    private static final int BYTES_PER_TOPIC = 128;

    private final TopicCatalogue catalogue;
    private final TopicCatalogue.ChangeListener listener = this::changed;
    private final Map<String, Set<Watch>> byNamespace = new ConcurrentHashMap<>();
    private final long most = Runtime.getRuntime().maxMemory() / 64 / BYTES_PER_TOPIC;
    private final AtomicLong remembered = new AtomicLong();

    public TopicListWatches(TopicCatalogue catalogue) {
        this.catalogue = catalogue;
        catalogue.onChange(listener);
    }

    private static String namespace(String tenant, String namespace) {
        return tenant + '/' + namespace;
    }

    private void changed(TopicName name, @Nullable Topic now) {
        byNamespace
                .getOrDefault(namespace(name.tenant(), name.namespace()), Set.of())
                .forEach(watch -> watch.changed(name));
    }

    /** @param tell is run on any thread when topics have changed, until the watch is closed; not again before these were taken */
    public Watch add(String tenant, String namespace, Runnable tell) {
        String key = namespace(tenant, namespace);
        Watch watch = new Watch(tenant, namespace, tell);
        byNamespace.compute(key, (name, there) -> {
            Set<Watch> all = there == null ? ConcurrentHashMap.newKeySet() : there;
            all.add(watch);
            return all;
        });
        return watch;
    }

    private void remove(Watch watch) {
        byNamespace.computeIfPresent(namespace(watch.tenant, watch.namespace), (name, all) -> {
            all.remove(watch);
            return all.isEmpty() ? null : all;
        });
    }

    /** Namespaces that are watched. */
    public int size() {
        return byNamespace.size();
    }

    @Override
    public void close() {
        catalogue.offChange(listener);
    }

    /** Watch of one client: changes not told yet are told together. */
    public final class Watch implements AutoCloseable {
        private final String tenant;
        private final String namespace;
        private final Runnable tell;
        /** At most one for each topic. */
        private final Set<TopicName> changed = new HashSet<>();

        private long topics;
        private boolean closed;

        private Watch(String tenant, String namespace, Runnable tell) {
            this.tenant = tenant;
            this.namespace = namespace;
            this.tell = tell;
        }

        public String tenant() {
            return tenant;
        }

        public String namespace() {
            return namespace;
        }

        private void changed(TopicName name) {
            boolean first;
            synchronized (this) {
                first = changed.isEmpty();
                changed.add(name);
            }
            if (first) {
                tell.run();
            }
        }

        /** Topics that have changed since they were taken last. */
        public synchronized Set<TopicName> take() {
            Set<TopicName> taken = Set.copyOf(changed);
            changed.clear();
            return taken;
        }

        /** The client of the watch knows so many topics now; false if all watches together know too many. */
        public synchronized boolean knows(int now) {
            if (closed) {
                return true;
            }
            boolean fits = remembered.addAndGet(now - topics) <= most;
            topics = now;
            return fits;
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                remembered.addAndGet(-topics);
                closed = true;
                remove(this);
            }
        }
    }
}
