package io.sluice.pulsar.admin;

import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.namespace.NonPersistentSettings;
import java.io.IOException;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A topic with policies of its own: one that is kept, or one that is not. Its policies are among its settings. */
interface PolicyHolder {
    TopicName name();

    Map<String, String> settings();

    /** @param change of the settings; may be asked more than once */
    void change(UnaryOperator<Map<String, String>> change) throws AdminException, IOException;

    /** A topic that is kept. */
    record Kept(Topic topic, TopicCatalogue catalogue) implements PolicyHolder {
        @Override
        public TopicName name() {
            return topic.name();
        }

        @Override
        public Map<String, String> settings() {
            return topic.settings();
        }

        @Override
        public void change(UnaryOperator<Map<String, String>> change) throws AdminException {
            await(catalogue.configure(topic.name(), change.apply(topic.settings())));
        }
    }

    /** A topic that is not kept, whose settings are. */
    record NotKept(TopicName name, NonPersistentSettings all) implements PolicyHolder {
        @Override
        public Map<String, String> settings() {
            return all.of(name);
        }

        @Override
        public void change(UnaryOperator<Map<String, String>> change) throws IOException {
            all.change(name, change);
        }
    }
}
