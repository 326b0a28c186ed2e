package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.access.Right;
import io.sluice.broker.access.RightsPage;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.handler.CommandRights;
import java.io.EOFException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every command there is: the rights that it asks for are those of {@link CommandRights}, and a client that has none of them is refused. What
 * is not in that table is not taken.
 */
@Timeout(90)
class CommandRightsTest {
    private static final String PREFIX = "persistent://public/default/";
    private static final String THERE = "there";
    private static final String MISSING = "other";
    /** Of transactions of others, which {@link TransactionOwnerTest} has. */
    private static final Right OF_OTHERS = Right.cluster(Operation.ALTER);

    private final AskedRights rights = new AskedRights();
    private TestGateway gateway;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start(rights);
        gateway.broker().createTopic(THERE, 1);
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    /** Answers to a command, before that to a ping behind it; null if it ends the connection. */
    private @Nullable List<BaseCommand> ask(BaseCommand command) throws Exception {
        try (RawClient client = RawClient.connect(gateway)) {
            client.write(Commands.serializeWithSize(command));
            client.write(Commands.serializeWithSize(CommandSamples.of(Type.PING, THERE)));
            List<BaseCommand> answers = new ArrayList<>();
            for (BaseCommand answer = client.read(); answer.getType() != Type.PONG; answer = client.read()) {
                answers.add(answer);
            }
            return answers;
        } catch (EOFException | SocketException e) {
            return null;
        }
    }

    private static boolean isRefused(@Nullable List<BaseCommand> answers) {
        return answers != null
                && answers.stream().anyMatch(each -> CommandSamples.errorOf(each) == ServerError.AuthorizationError);
    }

    private static BaseCommand withSubscription(BaseCommand command) {
        if (command.getType() == Type.PRODUCER) {
            command.getProducer().setInitialSubscriptionName("s");
        }
        return command;
    }

    @Test
    void everyCommandAsksForTheRightsOfTheTable() throws Exception {
        for (Type type : Type.values()) {
            if (type == Type.CONNECT) {
                continue; // is how all begin
            }
            rights.asked.clear();
            List<BaseCommand> answers = ask(withSubscription(CommandSamples.of(type, PREFIX + THERE)));
            Set<Right> table = CommandRights.all().get(type);
            if (table == null) {
                assertThat(answers).as("%s, which is in no table", type).isNull();
            } else {
                Set<Right> needed = new TreeSet<>(table);
                needed.remove(OF_OTHERS);
                assertThat(rights.asked).as(type.name()).isEqualTo(needed);
            }
        }
    }

    @Test
    void aClientWithoutRightsIsRefusedAndNotToldWhatIsThere() throws Exception {
        rights.allowed = _ -> false;
        for (var each : CommandRights.all().entrySet()) {
            Type type = each.getKey();
            if (each.getValue().stream().noneMatch(right -> right.type() == ResourceType.TOPIC)) {
                continue;
            }
            List<BaseCommand> answers = ask(CommandSamples.of(type, PREFIX + THERE));
            assertThat(isRefused(answers)).as(type.name()).isTrue();
            assertThat(told(answers)).as(type.name()).isEqualTo(told(ask(CommandSamples.of(type, PREFIX + MISSING))));
        }
        assertThat(gateway.broker().catalogue().find(TopicName.ofDefault(MISSING)))
                .isNull();
    }

    /** Answers as bytes, without the topic's name. */
    private static List<String> told(@Nullable List<BaseCommand> answers) {
        return answers == null
                ? List.of()
                : answers.stream()
                        .map(each -> new String(each.toByteArray(), ISO_8859_1)
                                .replace(THERE, "")
                                .replace(MISSING, ""))
                        .toList();
    }

    private Set<Type> refusedWith(Operation... allowed) throws Exception {
        Set<Operation> operations = EnumSet.of(Operation.DESCRIBE, allowed);
        rights.allowed = right -> right.type() == ResourceType.TOPIC && operations.contains(right.operation());
        Set<Type> refused = EnumSet.noneOf(Type.class);
        for (Type type : CommandRights.all().keySet()) {
            if (type != Type.CONNECT && isRefused(ask(CommandSamples.of(type, PREFIX + THERE)))) {
                refused.add(type);
            }
        }
        return refused;
    }

    @Test
    void aReaderReadsAWriterWritesAndAnAdministratorDoesAll() throws Exception {
        assertThat(refusedWith(Operation.READ))
                .containsExactlyInAnyOrder(Type.PRODUCER, Type.GET_OR_CREATE_SCHEMA, Type.ADD_PARTITION_TO_TXN);
        assertThat(refusedWith(Operation.WRITE))
                .containsExactlyInAnyOrder(Type.SUBSCRIBE, Type.SCALABLE_TOPIC_SUBSCRIBE, Type.ADD_SUBSCRIPTION_TO_TXN);
        assertThat(refusedWith(Operation.values())).isEmpty();
    }

    @Test
    void aClientThatHasNotConnectedIsToldNothing() throws Exception {
        rights.asked.clear();
        for (Type type : CommandRights.all().keySet()) {
            if (type != Type.CONNECT) {
                try (RawClient client = RawClient.unconnected(gateway.port())) {
                    client.write(Commands.serializeWithSize(CommandSamples.of(type, PREFIX + THERE)));
                    assertThat(client.isEnded()).as(type.name()).isTrue();
                }
            }
        }
        assertThat(rights.asked).isEmpty();
    }

    @Test
    void thePageHasTheTable() throws Exception {
        Map<String, Set<Right>> all = new LinkedHashMap<>();
        CommandRights.all().forEach((type, needed) -> all.put(type.name(), needed));
        RightsPage.check("What Pulsar's commands need", "commands", all);
    }
}
