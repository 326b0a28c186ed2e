package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.perf.suite.Suite;
import io.sluice.perf.suite.Suites;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final FakeContender SLUICE = new FakeContender("sluice", List.of("kafka", "pulsar"));
    private static final FakeContender KAFKA = new FakeContender("kafka", List.of("kafka"));
    private static final FakeContender PULSAR = new FakeContender("pulsar", List.of("pulsar"));
    private static final FakeContender PRAVEGA = new FakeContender("pravega", List.of("pravega"));

    private static List<String> names(List<Entrant> entrants) {
        return entrants.stream().map(Entrant::toString).toList();
    }

    @Test
    void sluiceTakesPartOnceOverEachProtocolOfThePeers() {
        assertThat(names(Entrant.lineup(SLUICE, List.of(KAFKA, KAFKA, PULSAR), List.of())))
                .containsExactly("sluice over kafka", "sluice over pulsar", "kafka", "kafka", "pulsar");
    }

    @Test
    void anotherLevelOfSluiceTakesPartOverTheSameProtocols() {
        var level = new FakeContender("sluice-2", List.of("kafka", "pulsar"));
        assertThat(names(Entrant.lineup(SLUICE, List.of(KAFKA, PULSAR, level), List.of())))
                .containsExactly(
                        "sluice over kafka",
                        "sluice over pulsar",
                        "kafka",
                        "pulsar",
                        "sluice-2 over kafka",
                        "sluice-2 over pulsar");
        assertThat(names(Entrant.lineup(SLUICE, List.of(level), List.of("pulsar"))))
                .containsExactly("sluice over pulsar", "sluice-2 over pulsar");
    }

    @Test
    void besideAPeerOfAnotherProtocolSluiceIsDrivenOverItsFirst() {
        assertThat(names(Entrant.lineup(SLUICE, List.of(PRAVEGA), List.of())))
                .containsExactly("sluice over kafka", "pravega");
    }

    @Test
    void chosenProtocolsAreThoseOfSluiceOnly() {
        assertThat(names(Entrant.lineup(SLUICE, List.of(KAFKA), List.of("pulsar"))))
                .containsExactly("sluice over pulsar", "kafka");
        assertThatThrownBy(() -> Entrant.lineup(SLUICE, List.of(KAFKA), List.of("amqp")))
                .hasMessageContaining("sluice does not speak amqp");
    }

    @Test
    void everySecondRoundGoesBackwards() {
        List<Entrant> entrants = Entrant.lineup(SLUICE, List.of(KAFKA, PULSAR), List.of("kafka"));
        Suite one = Suites.named("targets").orElseThrow().only("20,000/s");
        List<Turn> turns = Schedule.of(List.of(one), entrants, 3);
        assertThat(turns)
                .extracting(
                        turn -> turn.round() + " " + turn.entrant().contender().name())
                .containsExactly(
                        "1 sluice",
                        "1 kafka",
                        "1 pulsar",
                        "2 pulsar",
                        "2 kafka",
                        "2 sluice",
                        "3 sluice",
                        "3 kafka",
                        "3 pulsar");
    }

    @Test
    void aRowIsOneTurnOfEachSystem() {
        List<Entrant> entrants = Entrant.lineup(SLUICE, List.of(KAFKA), List.of());
        Suite row = Suites.named("overview").orElseThrow();
        List<Turn> turns = Schedule.of(List.of(row), entrants, 2);
        assertThat(turns)
                .extracting(turn -> turn.entrant().contender().name())
                .containsExactly("sluice", "kafka", "kafka", "sluice");
        assertThat(turns).allMatch(turn -> turn.workloads().equals(row.workloads()));
        assertThat(turns.getFirst().warmUp().workload().producerRate()).isZero();
    }

    @Test
    void aWorkloadMeetsAllSystemsBeforeTheNext() {
        List<Entrant> entrants = Entrant.lineup(SLUICE, List.of(KAFKA), List.of());
        List<Turn> turns = Schedule.of(List.of(Suites.check()), entrants, 1);
        assertThat(turns)
                .extracting(turn -> turn.workload().partitionsPerTopic() + " "
                        + turn.workload().producerRate() + " "
                        + turn.entrant().contender().name())
                .containsExactly("100 0 sluice", "100 0 kafka", "100 20000 sluice", "100 20000 kafka");
    }
}
