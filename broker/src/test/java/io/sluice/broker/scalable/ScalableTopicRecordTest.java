package io.sluice.broker.scalable;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.scalable.ScalableTopicRecord.State;
import io.sluice.broker.topic.ChangeOwner;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ScalableTopicRecordTest {
    /** Earlier servers read the fields, and pass over what follows; what is not in a change has nothing there. */
    @Test
    void theOwnerOfAChangeFollowsTheFieldsThatEarlierServersRead() throws TopicException {
        ScalableGraph graph = ScalableGraph.first(2, 5);
        ScalableTopic topic = new ScalableTopic(TopicName.ofDefault("s"), 5, Map.of("a", "b"), Map.of(), graph);
        ChangeOwner owner = new ChangeOwner(3, new UUID(3, 4));
        for (ScalableTopicRecord change : List.of(
                new ScalableTopicRecord(topic, State.CREATING, null),
                new ScalableTopicRecord(topic, State.CHANGING, graph.split(1, 6)))) {
            byte[] before = change.encode();
            byte[] owned = change.ownedBy(owner).encode();
            assertThat(owned).startsWith(before).hasSizeGreaterThan(before.length);
            assertThat(ScalableTopicRecord.decode(before)).isEqualTo(change);
            assertThat(ScalableTopicRecord.decode(owned)).isEqualTo(change.ownedBy(owner));
        }
        ScalableTopicRecord settled = ScalableTopicRecord.settled(topic);
        assertThat(settled.ownedBy(owner)).isEqualTo(settled);
    }
}
