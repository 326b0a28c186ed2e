package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.testing.ExpectedLog;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of a topic that end half-way: the store does not answer, or a container is not served. */
@ExpectedLog({
    "The metadata store did not answer",
    "An interrupted change of persistent://public/default/t is not finished yet",
    "segments are deleted later"
})
class CutShortChangesTest extends CatalogueFixture {
    @Test
    void aContainerThatIsNotServedMakesItUnavailable() throws IOException {
        create(NAME, 3);
        containers.stop(1);
        assertRefused(Reason.UNAVAILABLE, () -> {
            containers.stop(0);
            containers.stop(2);
            create(TopicName.ofDefault("u"), 1);
        });
        catalogue.delete(NAME).join();
        assertThat(catalogue.find(NAME)).isNull();
        assertRefused(Reason.UNAVAILABLE, () -> create(NAME, 1));
        restart();
        assertNoOrphans();
        create(NAME, 1);
    }

    /** Its segments go when their container is served again: before, or after, the next start. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theNameOfADeletedTopicIsFreeThoughAContainerIsNotServed(boolean starts) throws IOException {
        Topic before = create(NAME, 3);
        containers.stop(1);
        catalogue.delete(NAME).join();
        Topic after = create(NAME, 2);
        assertThat(after.id()).isNotEqualTo(before.id());
        assertThat(catalogue.interruptedChanges()).isEqualTo(1);
        if (starts) {
            restartWhole();
        } else {
            containers.start(1);
            finishLeft();
        }
        assertThat(catalogue.interruptedChanges()).isZero();
        assertThat(catalogue.find(NAME)).isEqualTo(after);
        assertNoOrphans();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aCreationCutShortLeavesNothing(int writes) throws IOException {
        metadata.crashAfter(writes);
        assertRefused(Reason.UNAVAILABLE, () -> create(NAME, 4));
        restart();
        assertThat(catalogue.find(NAME)).isNull();
        assertNoOrphans();
        create(NAME, 2);
        assertNoOrphans();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anExpansionCutShortLeavesTheTopicAsItWas(int writes) throws IOException {
        Topic before = create(NAME, 2);
        metadata.crashAfter(writes);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.expand(NAME, 4).join());
        assertThat(catalogue.find(NAME)).isEqualTo(before);
        restart();
        assertThat(catalogue.find(NAME)).isEqualTo(before);
        assertNoOrphans();
        assertThat(catalogue.expand(NAME, 4).join().partitions()).hasSize(4);
        assertNoOrphans();
    }

    @Test
    void anExpansionCutShortIsUndoneByTheNextChange() {
        create(NAME, 2);
        metadata.crashAfter(1);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.expand(NAME, 4).join());
        metadata.crashAfter(Integer.MAX_VALUE);
        assertThat(catalogue.expand(NAME, 3).join().partitions()).hasSize(3);
        assertNoOrphans();
    }

    @Test
    void aWriteWhoseAnswerWasLostIsSeenByTheNextChange() {
        metadata.loseConnection();
        metadata.loseAnswerOf(2);
        assertRefused(Reason.UNAVAILABLE, () -> create(NAME, 2));
        assertThat(catalogue.find(NAME)).isNull();
        assertThat(catalogue.getOrCreate(NAME, 9, true, false).join().partitions())
                .hasSize(2);
        assertNoOrphans();
        metadata.loseAnswerOf(1);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.delete(NAME).join());
        assertRefused(Reason.NOT_FOUND, () -> catalogue.delete(NAME).join());
        assertThat(catalogue.find(NAME)).isNull();
        assertNoOrphans();
    }

    @Test
    void aDeletionCutShortIsFinished() throws IOException {
        create(NAME, 2);
        metadata.crashAfter(0);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.delete(NAME).join());
        assertThat(catalogue.find(NAME)).isNotNull();
        metadata.crashAfter(1);
        catalogue.delete(NAME).join();
        assertThat(catalogue.find(NAME)).isNull();
        restart();
        assertThat(catalogue.find(NAME)).isNull();
        assertNoOrphans();
    }
}
