package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.testing.ExpectedLog;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a catalogue hears of the changes that another one has made over the same store. */
@ExpectedLog("The metadata store did not answer")
class ChangesOfOtherNodesTest extends CatalogueFixture {
    @Test
    void changesOfAnotherNodeAreSeen() throws IOException {
        try (StoredTopicCatalogue other = load()) {
            CompletableFuture<Void> made = told(other, "odd % name 2{a=b}");
            CompletableFuture<Void> wider = told(other, "odd % name 3{a=b}");
            CompletableFuture<Void> set = told(other, "odd % name 3{x=y}");
            CompletableFuture<Void> gone = told(other, "odd % name gone");
            TopicName name = TopicName.ofDefault("odd % name");
            Topic topic = create(name, 2);
            made.join();
            assertThat(other.find(name)).isEqualTo(topic);
            assertThat(other.find(topic.id())).isEqualTo(topic);
            catalogue.expand(name, 3).join();
            wider.join();
            Topic configured = catalogue.configure(name, Map.of("x", "y")).join();
            set.join();
            assertThat(other.find(name)).isEqualTo(configured);
            catalogue.delete(name).join();
            gone.join();
            assertThat(other.find(name)).isNull();
            assertThat(other.all()).isEmpty();
        }
    }

    @Test
    void newPartitionsGoWhereTheFewestAreOfAllNodes() throws IOException {
        try (StoredTopicCatalogue other = load()) {
            CompletableFuture<Void> made = told(other, "t 2{a=b}");
            create(NAME, 2);
            made.join();
            assertThat(other.create(TopicName.ofDefault("u"), 1, true, false, Map.of())
                            .join()
                            .partitions()
                            .getFirst()
                            .container())
                    .isEqualTo(2);
        }
    }

    /** Deleted, made anew and changed while this node's connection is lost. */
    @Test
    void whatWasMissedIsReadAgain() throws IOException {
        Topic kept = create(NAME, 1);
        create(TopicName.ofDefault("u"), 1);
        create(TopicName.ofDefault("v"), 1);
        try (StoredTopicCatalogue other = load()) {
            metadata.loseConnection();
            catalogue.configure(NAME, Map.of("x", "y")).join();
            catalogue.delete(TopicName.ofDefault("u")).join();
            Topic anew = create(TopicName.ofDefault("u"), 2);
            catalogue.delete(TopicName.ofDefault("v")).join();
            Topic added = create(TopicName.ofDefault("w"), 1);
            assertThat(other.find(NAME)).isEqualTo(kept);
            var all = CompletableFuture.allOf(
                    told(other, "t 1{x=y}"), told(other, "u 2{a=b}"), told(other, "v gone"), told(other, "w 1{a=b}"));
            metadata.reconnect();
            all.join();
            assertThat(other.all()).hasSize(3).contains(anew, added);
        }
    }

    @Test
    void aWriteWhoseAnswerWasLostIsSeenWhenTheStoreTellsOfIt() {
        metadata.loseConnection();
        metadata.loseAnswerOf(2);
        assertRefused(Reason.UNAVAILABLE, () -> create(NAME, 2));
        CompletableFuture<Void> made = told(catalogue, "t 2{a=b}");
        metadata.reconnect();
        made.join();
        assertThat(catalogue.find(NAME)).isNotNull();
        assertNoOrphans();
    }
}
