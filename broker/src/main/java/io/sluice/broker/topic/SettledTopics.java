package io.sluice.broker.topic;

import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicStore.Stored;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Records of topics that nobody is changing: who wants to change one gets it as it is stored, when an interrupted change of it was undone or
 * finished, and a change that another node is making is over. What is shown follows the store.
 */
final class SettledTopics implements AutoCloseable {
    private final TopicStore store;
    private final ShownTopics shown;
    private final ChangeOwners owners;
    private final Executor tasks;
    private final Finishing finishing;
    private final RecordWatch<TopicName> watch;
    private final SharedReads<TopicName, Topic> reads;
    private final SharedReads<Namespace, Integer> namespaceReads;
    /** Changes of one topic follow each other; those of different topics mostly do not wait. */
    private final ChangesByName changes;

    private final InterruptedChanges<TopicName> interrupted;

    private record Namespace(String tenant, String name) {
        boolean has(TopicName topic) {
            return topic.tenant().equals(tenant) && topic.namespace().equals(name);
        }
    }

    /** Catalogue that finishes changes. Under the topic's lock. */
    interface Finishing {
        /** Brings a record to rest; afterwards there is none or it is settled. */
        void finish(Stored left) throws TopicException, IOException;

        /** Told a topic in no change. */
        void isSettled(Topic topic);
    }

    /** @param tasks runs what blocks, each on a (virtual) thread of its own */
    SettledTopics(
            Metadata metadata,
            TopicStore store,
            ShownTopics shown,
            ChangeOwners owners,
            Executor tasks,
            Finishing finishing) {
        this.store = store;
        this.shown = shown;
        this.owners = owners;
        this.tasks = tasks;
        this.finishing = finishing;
        this.watch = new RecordWatch<>(
                metadata,
                TopicStore.ROOT,
                path -> TopicPath.nameOf(TopicStore.ROOT, path),
                tasks,
                this::correct,
                this::names);
        this.reads = new SharedReads<>(tasks, this::readNow, this::shown);
        this.namespaceReads = new SharedReads<>(tasks, this::readNow, namespace -> null);
        this.changes = new ChangesByName(tasks, this::mayBeInterrupted, watch::note);
        this.interrupted = new InterruptedChanges<>(tasks, new InterruptedChanges.Finishing<>() {
            @Override
            public void finish(TopicName name) throws TopicException, IOException {
                changes.makeNow(name, () -> readSettled(name, false));
            }

            @Override
            public void noteAll() throws IOException {
                namesInChange().forEach(interrupted::note);
            }
        });
    }

    /** Shows what others change from now on. */
    void follow() {
        watch.start();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    ChangesByName changes() {
        return changes;
    }

    /** See {@link ChangesByName#make}. */
    <T> CompletableFuture<T> change(TopicName name, ChangesByName.Change<T> change) {
        return changes.make(name, change);
    }

    // ---- what is shown

    private Set<TopicName> names() throws IOException {
        Set<TopicName> names = new HashSet<>(shown.names());
        names.addAll(store.names());
        return names;
    }

    /** Shows the topic as it is stored, unless it is being changed here: that shows what it has done itself. */
    private boolean correct(TopicName name) throws IOException {
        return changes.tryLocked(name, () -> showStored(name));
    }

    /** Under the topic's lock. */
    private @Nullable Stored showStored(TopicName name) throws IOException {
        Stored stored = store.find(name);
        if (stored == null) {
            shown.hide(name);
        } else {
            shown.correct(stored);
            if (!stored.record().isSettled()) {
                interrupted.noteElsewhere(name);
            }
        }
        return stored;
    }

    private @Nullable Topic shown(TopicName name) {
        return shown.topic(name);
    }

    /** Reads the topic's record; null if there is none. Several who ask at once share a read. */
    CompletableFuture<@Nullable Topic> read(TopicName name) {
        return reads.of(name);
    }

    /** Null if there is none. Where it is being changed here, it is shown when that is over. */
    private @Nullable Topic readNow(TopicName name) throws IOException {
        if (correct(name)) {
            return shown(name);
        }
        Stored stored = store.find(name);
        TopicRecord record = stored == null ? null : stored.record();
        return record == null || !record.isVisible() ? null : shown.withPartitions(record.activeTopic());
    }

    /** Shows the namespace's topics that others have made, and no more those that others have deleted. */
    CompletableFuture<Void> readNamespace(String tenant, String namespace) {
        return namespaceReads.of(new Namespace(tenant, namespace)).thenAccept(read -> {});
    }

    /** Number of topics that were not shown as they are stored. */
    private Integer readNow(Namespace namespace) throws IOException {
        Set<TopicName> differing = new HashSet<>(store.names(namespace.tenant, namespace.name));
        for (TopicName name : shown.names()) {
            if (namespace.has(name) && !differing.add(name)) {
                differing.remove(name);
            }
        }
        for (TopicName name : differing) {
            boolean ignored = correct(name);
        }
        return differing.size();
    }

    /**
     * Reads the topic's record, and shows what it says: whether the name is still this topic's, and no node is changing it. Complete on a
     * virtual thread; fails where the store cannot be asked.
     */
    CompletableFuture<Boolean> isSettled(TopicName name, UUID id) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        tasks.execute(() -> {
            boolean[] settled = new boolean[1];
            try {
                changes.tryLocked(name, () -> {
                    Stored stored = showStored(name);
                    settled[0] = stored != null
                            && stored.record().isSettled()
                            && stored.record().topic().id().equals(id);
                });
                result.complete(settled[0]);
            } catch (IOException | RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** Deletes a topic that is at rest: its record says so, and the rest follows, or is noted to be tried again. Under its lock. */
    void delete(Stored stored) throws IOException {
        Topic topic = stored.record().topic();
        Stored intent = store.put(new TopicRecord(topic, topic.partitions().size(), true), stored.version());
        shown.hide(topic);
        tryFinish(intent);
    }

    // ---- what is left to finish

    private List<TopicName> namesInChange() throws IOException {
        return store.all().stream()
                .filter(stored -> !stored.record().isSettled())
                .map(stored -> stored.record().topic().name())
                .toList();
    }

    /** Tries each once. Returns how many changes are left. */
    int finishInterrupted() throws IOException {
        int left = 0;
        for (TopicName name : namesInChange()) {
            left += interrupted.tryFinishOrNote(name) ? 0 : 1;
        }
        return left;
    }

    /** See {@link InterruptedChanges#round}. */
    CompletableFuture<Void> round() {
        return interrupted.round();
    }

    /** Number of known changes that are neither finished nor undone. */
    int interrupted() {
        return interrupted.count();
    }

    private void mayBeInterrupted(TopicName name) {
        interrupted.note(name);
    }

    /** If it fails, it is noted to be tried again. Under the topic's lock. */
    void tryFinish(Stored stored) {
        tryFinish(stored.record().topic().name());
    }

    /** If it fails, it is noted to be tried again. Under the topic's lock. */
    void tryFinish(TopicName name) {
        interrupted.tryFinishOrNote(name);
    }

    // ---- what is changed

    /** As {@link #find}; NOT_FOUND if there is none. */
    Stored existing(TopicName name) throws TopicException, IOException {
        Stored stored = find(name);
        if (stored == null) {
            throw new TopicException(Reason.NOT_FOUND, "topic " + name + " does not exist");
        }
        return stored;
    }

    /** See {@link #readSettled}. */
    @Nullable
    Stored find(TopicName name) throws TopicException, IOException {
        PulsarNames.check(name);
        return readSettled(name, true);
    }

    /**
     * The topic as it is stored, which after a failed write, or when another node has changed it, may be newer than what is in memory; an
     * interrupted change of it is undone or finished first. Under the topic's lock.
     *
     * @param waits for a change that another node is making, UNAVAILABLE when it takes too long
     * @throws InterruptedChanges.Elsewhere it is making one
     */
    private @Nullable Stored readSettled(TopicName name, boolean waits) throws TopicException, IOException {
        Stored stored = store.find(name);
        for (int times = 0; stored != null && !stored.record().isSettled(); times++) {
            Stored found = stored;
            ChangeOwner owner = found.record().owner();
            if (!owners.isElsewhere(owner)) {
                interrupted.finishOrNote(name, () -> finishing.finish(found));
            } else if (!waits) {
                throw new InterruptedChanges.Elsewhere("topic " + name + " is being changed by " + owner);
            } else if (!owners.waitAgain(times)) {
                throw TopicException.unavailable("topic " + name + " is being changed by another node: try again");
            }
            stored = store.find(name);
        }
        if (stored == null) {
            shown.hide(name);
        } else {
            shown.correct(stored);
            finishing.isSettled(stored.record().topic());
        }
        return stored;
    }
}
