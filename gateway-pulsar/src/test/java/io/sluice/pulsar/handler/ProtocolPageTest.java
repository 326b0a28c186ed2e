package io.sluice.pulsar.handler;

import static org.apache.pulsar.common.api.proto.BaseCommand.Type.ACTIVE_CONSUMER_CHANGE;
import static org.apache.pulsar.common.api.proto.BaseCommand.Type.AUTH_CHALLENGE;
import static org.apache.pulsar.common.api.proto.BaseCommand.Type.CLOSE_CONSUMER;
import static org.apache.pulsar.common.api.proto.BaseCommand.Type.CLOSE_PRODUCER;
import static org.apache.pulsar.common.api.proto.BaseCommand.Type.PING;
import static org.apache.pulsar.common.api.proto.BaseCommand.Type.TOPIC_MIGRATED;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.pulsar.wire.Replies;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;
import org.apache.pulsar.common.api.proto.FeatureFlags;
import org.junit.jupiter.api.Test;

/** {@code docs/pulsar-protocol.md} shows the table of commands. {@code -Dsluice.docs.write=true} writes it. */
class ProtocolPageTest {
    private static final Path PAGE = Path.of("../docs/pulsar-protocol.md");
    /** First number of the commands that only Pulsar 5 has. */
    private static final int PULSAR_5 = 70;

    /** What the server sends unasked, beside what follows an answer. */
    private static final Map<Type, String> UNASKED = Map.of(
            PING, "after 30 s without a word from the client",
            AUTH_CHALLENGE, "before a login ends",
            CLOSE_PRODUCER, "the topic is to be looked up again",
            CLOSE_CONSUMER, "the topic is to be looked up again",
            ACTIVE_CONSUMER_CHANGE, "of Exclusive and Failover subscriptions",
            TOPIC_MIGRATED, "the topic has migrated to another cluster; to clients of version 20 or newer");

    private static final Map<Type, String> NEVER = Map.of(
            Type.END_TXN_ON_PARTITION, "between brokers of Pulsar; nodes here have frames of their own",
            Type.END_TXN_ON_PARTITION_RESPONSE, "likewise",
            Type.END_TXN_ON_SUBSCRIPTION, "likewise",
            Type.END_TXN_ON_SUBSCRIPTION_RESPONSE, "likewise");

    private static final String INTRODUCTION = """
            # Pulsar's binary protocol

            Every command of Pulsar 4.2's protocol (version %d), and of its version 5.0.0-M1, whose commands have the numbers from 70 on; made from the table by
            which commands are handled. Errors are in [pulsar-errors.md](pulsar-errors.md), rights in [security.md](security.md#what-pulsars-commands-need).

            A connection begins with CONNECT. A command that a client does not send, or that lacks its fields, or is no command, ends the connection; one
            whose number is not known here does so, too.

            ## Commands that clients send

            """;

    @Test
    void everyCommandIsHandledOrSentOrNeither() {
        Map<Type, Set<Type>> sent = sent();
        assertThat(Type.values()).allSatisfy(type -> {
            boolean handled = CommandTable.of(type) != null;
            boolean isSent = sent.containsKey(type) || UNASKED.containsKey(type);
            assertThat(handled || isSent).as(type.name()).isNotEqualTo(NEVER.containsKey(type));
        });
    }

    /** With the commands for which a client gets them. */
    private static Map<Type, Set<Type>> sent() {
        Map<Type, Set<Type>> sent = new EnumMap<>(Type.class);
        CommandTable.rows()
                .forEach((asked, row) -> row.answers()
                        .forEach(answer -> sent.computeIfAbsent(answer, key -> new TreeSet<>())
                                .add(asked)));
        return sent;
    }

    @Test
    void thePageIsTrue() throws Exception {
        List<String> page = new ArrayList<>(
                INTRODUCTION.formatted(Replies.newestVersion()).lines().toList());
        page.add("| number | command | handled by | answered with |");
        page.add("|---|---|---|---|");
        CommandTable.rows()
                .forEach((type, row) -> page.add("| " + type.getValue() + " | " + type + " | `"
                        + row.by().getSimpleName() + "` | " + answers(row) + " |"));
        page.addAll(
                List.of("", "## Commands that the server sends", "", "| number | command | when |", "|---|---|---|"));
        Map<Type, Set<Type>> sent = sent();
        for (Type type : Type.values()) {
            String when = Stream.concat(
                            sent.getOrDefault(type, Set.of()).stream().map(Type::name),
                            Stream.ofNullable(UNASKED.get(type)))
                    .collect(Collectors.joining(", "));
            if (!when.isEmpty()) {
                page.add("| " + type.getValue() + " | " + type + " | " + when + " |");
            }
        }
        page.addAll(List.of("", "## Commands that neither sends", "", "| number | command | why |", "|---|---|---|"));
        Stream.of(Type.values())
                .filter(NEVER::containsKey)
                .forEach(type -> page.add("| " + type.getValue() + " | " + type + " | " + NEVER.get(type) + " |"));
        page.addAll(features());
        check(page);
    }

    private static String answers(CommandTable.Row row) {
        String all = row.answers().stream().map(Type::name).collect(Collectors.joining(", "));
        if (row.by() == UnsupportedHandler.class) {
            return all + ", which refuses it";
        }
        return all.isEmpty() ? "nothing" : all;
    }

    /** As CONNECTED has them. */
    private static List<String> features() throws Exception {
        ByteBuf frame = Replies.connected("", Replies.newestVersion(), 1);
        BaseCommand command = new BaseCommand();
        frame.skipBytes(2 * Integer.BYTES);
        command.parseFrom(frame, frame.readableBytes());
        FeatureFlags flags = command.getConnected().getFeatureFlags();
        List<String> lines = new ArrayList<>(
                List.of("", "## Features", "", "Flags of CONNECTED.", "", "| flag | set |", "|---|---|"));
        List<Method> all = Stream.of(FeatureFlags.class.getMethods())
                .filter(method -> method.getName().startsWith("isSupports"))
                .sorted((a, b) -> a.getName().compareTo(b.getName()))
                .toList();
        for (Method each : all) {
            lines.add(
                    "| " + each.getName().substring(2) + " | " + ((boolean) each.invoke(flags) ? "yes" : "no") + " |");
        }
        frame.release();
        return lines;
    }

    @Test
    void commandsOfPulsar5HaveHighNumbers() {
        assertThat(Type.values())
                .filteredOn(
                        type -> type.name().contains("SCALABLE") || type.name().contains("TC_ASSIGNMENTS"))
                .hasSizeGreaterThan(5)
                .allSatisfy(type -> assertThat(type.getValue()).isGreaterThanOrEqualTo(PULSAR_5));
    }

    private static void check(List<String> page) throws Exception {
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.write(PAGE, page);
        } else {
            assertThat(Files.readAllLines(PAGE))
                    .as("written by -Dsluice.docs.write=true")
                    .isEqualTo(page);
        }
    }
}
