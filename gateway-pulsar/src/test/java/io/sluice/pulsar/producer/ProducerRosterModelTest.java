package io.sluice.pulsar.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.SilentOutlet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.pulsar.common.api.proto.ProducerAccessMode;
import org.apache.pulsar.common.api.proto.ServerError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Producers of all access modes that come, go and come back before their old connection is gone, against the rules. */
@Timeout(90)
class ProducerRosterModelTest {
    private static final int HISTORIES = 300;
    private static final int STEPS = 60;

    private final TestBroker broker = TestBroker.start();
    private final Map<ProducerSession, Client> clients = new HashMap<>();
    private int topics;

    @AfterEach
    void stop() {
        broker.close();
    }

    private PartitionLog newLog() {
        String name = "t" + topics++;
        broker.createTopic(TopicName.ofDefault(name), 1, false);
        return broker.partition(name, 0);
    }

    /** A producer and the connection it is on. */
    private static final class Client extends SilentOutlet implements ProducerRoster.Reply {
        final ProducerSession session;
        private boolean connected = true;
        boolean refused;
        boolean closed;

        Client(String name, ProducerAccessMode mode, long clientEpoch, long topicEpoch) {
            session = new ProducerSession(
                    new ProducerSession.Identity(1, name, clientEpoch > 1, clientEpoch, mode, topicEpoch, Map.of()),
                    this,
                    0);
        }

        @Override
        public void ready(ProducerSession producer, long topicEpoch) {}

        @Override
        public void queued(ProducerSession producer) {}

        @Override
        public void refused(ServerError error, String message) {
            refused = true;
        }

        @Override
        public boolean connected() {
            return connected;
        }

        @Override
        public void closeProducer(ProducerSession producer) {
            closed = true;
        }
    }

    private Client add(ProducerRoster roster, Client client) {
        clients.put(client.session, client);
        roster.add(client.session, client);
        return client;
    }

    @Test
    void theExclusiveProducerComesBackBeforeItsOldConnectionIsGone() {
        PartitionLog log = newLog();
        ProducerRoster roster = new ProducerRoster(log);
        Client present = new Client("a", ProducerAccessMode.Exclusive, 0, -1);
        Client waiting = new Client("b", ProducerAccessMode.WaitForExclusive, 0, -1);
        broker.onLoop(log, () -> add(roster, present));
        broker.onLoop(log, () -> add(roster, waiting));
        broker.onLoop(log, () -> {
            present.connected = false;
            Client again = add(
                    roster,
                    new Client(
                            "a",
                            ProducerAccessMode.Exclusive,
                            1,
                            log.producers().exclusiveEpoch()));
            assertThat(again.session.attached()).isTrue();
            roster.remove(present.session);
            assertThat(again.session.attached()).isTrue();
            assertThat(waiting.session.attached()).isFalse();
            roster.remove(again.session);
            assertThat(waiting.session.attached()).isTrue();
            return null;
        });
    }

    @Test
    void whoeverComesWhileTheOldProducerIsGoneDoesNotWedgeTheTopic() {
        for (ProducerAccessMode mode : ProducerAccessMode.values()) {
            PartitionLog log = newLog();
            ProducerRoster roster = new ProducerRoster(log);
            Client present = new Client("a", ProducerAccessMode.Shared, 0, -1);
            Client waiting = new Client("b", ProducerAccessMode.WaitForExclusive, 0, -1);
            broker.onLoop(log, () -> add(roster, present));
            broker.onLoop(log, () -> add(roster, waiting));
            broker.onLoop(log, () -> {
                present.connected = false;
                Client again = add(roster, new Client("a", mode, 1, -1));
                assertThat(again.session.attached() || waiting.session.attached())
                        .as("%s", mode)
                        .isTrue();
                return null;
            });
        }
    }

    @Test
    void nobodyWaitsForATopicThatNobodyHas() {
        for (long seed = 1; seed <= HISTORIES; seed++) {
            PartitionLog log = newLog();
            Random random = new Random(seed);
            ProducerRoster roster = new ProducerRoster(log);
            List<Client> here = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                String what = "seed " + seed + ", step " + step;
                broker.onLoop(log, () -> {
                    act(roster, log, random, here);
                    check(roster, what);
                    return null;
                });
            }
        }
    }

    private void act(ProducerRoster roster, PartitionLog log, Random random, List<Client> here) {
        Client some = here.isEmpty() ? null : here.get(random.nextInt(here.size()));
        switch (random.nextInt(5)) {
            case 0 -> {
                if (some != null) {
                    // its connection is gone, and nobody has noticed yet
                    some.connected = false;
                }
            }
            case 1, 2 -> {
                if (some != null) {
                    here.remove(some);
                    some.connected = false;
                    roster.remove(some.session);
                }
            }
            default -> {
                ProducerAccessMode[] modes = ProducerAccessMode.values();
                long topicEpoch = random.nextInt(3) == 0 ? log.producers().exclusiveEpoch() : -1;
                Client next = new Client(
                        "p" + random.nextInt(4), modes[random.nextInt(modes.length)], random.nextInt(3), topicEpoch);
                add(roster, next);
                if (!next.refused) {
                    here.add(next);
                }
            }
        }
        here.removeIf(each -> each.closed);
    }

    private void check(ProducerRoster roster, String what) {
        if (roster.all().isEmpty()) {
            assertThat(roster.waiting()).as(what).isEmpty();
        }
        assertThat(roster.all()).as(what).allMatch(ProducerSession::attached);
        assertThat(roster.waiting()).as(what).noneMatch(ProducerSession::attached);
        long exclusive = roster.all().stream()
                .filter(each -> each.identity().mode() != ProducerAccessMode.Shared)
                .count();
        assertThat(exclusive == 0 || roster.all().size() == 1).as(what).isTrue();
        long attached = clients.keySet().stream()
                .filter(each -> each.attached() && roster.all().contains(each))
                .count();
        assertThat(attached).as(what).isEqualTo(roster.all().size());
    }
}
