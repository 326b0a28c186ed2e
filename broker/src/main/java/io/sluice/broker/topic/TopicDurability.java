package io.sluice.broker.topic;

import io.sluice.store.segment.Containers;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * In which containers a topic's partitions belong: in those whose logs have the topic's level of durability and that stay. Any
 * thread.
 *
 * <pre>
 *   topic's own setting, else its namespace's, else the server's ─► level wanted ─► level here ─► containers of that level, made when there are none
 * </pre>
 */
public final class TopicDurability {
    private final Containers containers;
    private final NamespaceDurability namespaces;
    private final int ofServer;
    private final Supply supply;

    /** Makes containers. */
    public interface Supply {
        /**
         * Returns when there are containers of the level; blocks.
         *
         * @throws TopicException UNAVAILABLE there cannot be any, or not now
         */
        void want(int level) throws TopicException;

        /** There are no others than there are. */
        Supply NONE = level -> {
            throw TopicException.unavailable("there is no container of level of durability " + level);
        };
    }

    /** @param ofServer level of topics where nothing is set for them or their namespace */
    TopicDurability(Containers containers, NamespaceDurability namespaces, int ofServer, Supply supply) {
        this.containers = containers;
        this.namespaces = namespaces;
        this.ofServer = ofServer;
        this.supply = supply;
    }

    /** Level that is asked for. */
    public int wanted(Topic topic) {
        Integer ofNamespace = namespaces.of(topic.name());
        return topic.durability(ofNamespace == null ? ofServer : ofNamespace);
    }

    /** Level of the containers that are as durable as that here: with one copy, 3 is 1 and 4 is 2. */
    public int levelHere(Topic topic) {
        return containers.levelHere(wanted(topic));
    }

    /** Numbers of the partitions that are to move: to another level, or out of a container that is to be removed. */
    public List<Integer> astray(Topic topic) {
        Set<Integer> homes = Set.copyOf(containers.staying(levelHere(topic)));
        return IntStream.range(0, topic.partitions().size())
                .filter(p -> !homes.contains(topic.partitions().get(p).container()))
                .boxed()
                .toList();
    }

    /** Containers in which a topic of this name belongs if nothing is set for itself; none if they are still to be made. */
    List<Integer> homes(TopicName name) {
        Integer ofNamespace = namespaces.of(name);
        return containers.staying(containers.levelHere(ofNamespace == null ? ofServer : ofNamespace));
    }

    /** Gives the level of the containers for the topic, of which there is at least one now; blocks. */
    int ready(Topic topic) throws TopicException {
        int level = levelHere(topic);
        if (containers.staying(level).isEmpty()) {
            supply.want(level);
        }
        return level;
    }
}
