package io.sluice.pulsar.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.pulsar.registry.SchemaRegistry.Given;
import io.sluice.pulsar.registry.SchemaRegistry.Place;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.LateMetadata;
import io.vertx.core.json.JsonArray;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two nodes that register schemas at once, over one metadata store. */
class TwoNodesRegistryTest {
    private static final int ROUNDS = 20;

    private final TestBroker broker = TestBroker.start();
    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final List<TopicSchemas> schemas = List.of(topicSchemas(), topicSchemas());
    private final List<SchemaRegistry> nodes = schemas.stream()
            .map(each -> new SchemaRegistry(metadata, each, broker.catalogue()))
            .toList();

    private TopicSchemas topicSchemas() {
        return new TopicSchemas(new LateMetadata(metadata), broker.catalogue(), (name, task) -> task.run());
    }

    @AfterEach
    void stop() {
        schemas.forEach(TopicSchemas::close);
        broker.close();
    }

    private static Given proto(String message) {
        return new Given("PROTOBUF", "syntax = \"proto3\"; message " + message + " { int32 n = 1; }", new JsonArray());
    }

    /** What each node is given, at once. */
    private List<Registered> atOnce(Subject subject, List<Given> given) throws Exception {
        CyclicBarrier start = new CyclicBarrier(nodes.size());
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Registered>> done = new ArrayList<>();
            for (int i = 0; i < nodes.size(); i++) {
                SchemaRegistry node = nodes.get(i);
                Given schema = given.get(i);
                Callable<Registered> task = () -> {
                    start.await();
                    return node.register(subject, schema, false, Place.NEXT);
                };
                done.add(threads.submit(task));
            }
            List<Registered> all = new ArrayList<>();
            for (Future<Registered> each : done) {
                all.add(each.get());
            }
            return all;
        }
    }

    @Test
    void theSameSchemaHasOneIdAndOneVersion() throws Exception {
        Set<Integer> ids = new TreeSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            Subject subject = Subject.of("s" + round);
            List<Registered> done = atOnce(subject, List.of(proto("M" + round), proto("M" + round)));
            assertThat(done.get(0)).isEqualTo(done.get(1));
            assertThat(done.get(0).version()).isEqualTo(1);
            ids.add(done.get(0).id());
        }
        assertThat(ids).hasSize(ROUNDS);
    }

    @Test
    void otherSchemasHaveEachTheirOwn() throws Exception {
        Subject subject = Subject.of("s");
        nodes.getFirst().settings().setLevel(subject, "NONE");
        Set<Integer> ids = new TreeSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            List<Registered> done = atOnce(subject, List.of(proto("A" + round), proto("B" + round)));
            assertThat(done.stream().map(Registered::version).collect(Collectors.toSet()))
                    .containsExactlyInAnyOrder(2 * round + 1, 2 * round + 2);
            for (Registered each : done) {
                ids.add(each.id());
                for (SchemaRegistry node : nodes) {
                    assertThat(node.byId(each.id()).schema()).isEqualTo(each.schema());
                    assertThat(node.subjects().version(subject, "" + each.version(), false))
                            .isEqualTo(each);
                }
            }
        }
        assertThat(ids).hasSize(2 * ROUNDS);
    }

    @Test
    void ofTwoThatDoNotAgreeOneIsRefused() throws Exception {
        Subject subject = Subject.of("s");
        Given one = proto("A");
        Given other = new Given(one.type(), one.schema().replace("int32", "string"), new JsonArray());
        int refused = 0;
        try {
            atOnce(subject, List.of(one, other));
        } catch (ExecutionException e) {
            assertThat(e.getCause())
                    .isInstanceOfSatisfying(
                            RegistryException.class,
                            why -> assertThat(why.code()).isEqualTo(RegistryException.INCOMPATIBLE));
            refused++;
        }
        assertThat(refused).isEqualTo(1);
        assertThat(nodes.getLast().subjects().versions(subject, false)).containsExactly(1);
    }
}
