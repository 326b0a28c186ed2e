package io.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.utils.internals.Exit;
import org.apache.kafka.tools.AclCommand;
import org.apache.kafka.tools.ConfigCommand;
import org.apache.kafka.tools.ConsoleProducer;
import org.apache.kafka.tools.TopicCommand;
import org.apache.kafka.tools.consumer.ConsoleConsumer;
import org.apache.kafka.tools.consumer.ConsoleShareConsumer;
import org.apache.kafka.tools.consumer.group.ConsumerGroupCommand;
import org.apache.kafka.tools.consumer.group.ShareGroupCommand;

/**
 * Commands of Kafka's distribution, each with a file of a client's settings. What they print is caught, and how they end. One at a time: they
 * print to the process's output.
 */
final class KafkasCommands {
    private final String bootstrap;
    private final Path config;

    /** @param config settings of whoever runs them */
    KafkasCommands(String bootstrap, Path config) {
        this.bootstrap = bootstrap;
        this.config = config;
    }

    /** Main method of a command. */
    private interface Command {
        void main(String[] words) throws Exception;
    }

    /** The command ended by itself. Some catch it, and end once more: the first code counts. */
    private static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** @param words with spaces between them, as in {@code kafka-topics.sh} */
    String topics(String words) throws Exception {
        return run(TopicCommand::main, words, "", true);
    }

    String acls(String words) throws Exception {
        return run(AclCommand::main, words, "", true);
    }

    String configs(String words) throws Exception {
        return run(ConfigCommand::main, words, "", true);
    }

    String consumerGroups(String words) throws Exception {
        return run(ConsumerGroupCommand::main, words, "", true);
    }

    String shareGroups(String words) throws Exception {
        return run(ShareGroupCommand::main, words, "", true);
    }

    /** What a member of a share group reads. */
    String consumeShared(String words) throws Exception {
        return run(ConsoleShareConsumer::main, words, "", true);
    }

    String produce(String words, String lines) throws Exception {
        return run(ConsoleProducer::main, words, lines, true);
    }

    String consume(String words) throws Exception {
        return run(ConsoleConsumer::main, words, "", true);
    }

    /** A command of {@code kafka-topics.sh} that ends with a failure. */
    String topicsFails(String words) throws Exception {
        return run(TopicCommand::main, words, "", false);
    }

    private String run(Command command, String words, String input, boolean works) throws Exception {
        List<String> all =
                new ArrayList<>(List.of("--bootstrap-server", bootstrap, "--command-config", config.toString()));
        all.addAll(Arrays.asList(words.split(" ")));
        var printed = new ByteArrayOutputStream();
        int code;
        try (var caught = new PrintStream(printed, true, UTF_8)) {
            code = run(command, all.toArray(String[]::new), input, caught);
        }
        String text = printed.toString(UTF_8);
        if (works) {
            assertThat(code).as(text).isZero();
        } else {
            assertThat(code).as(text).isNotZero();
        }
        return text;
    }

    /** The code with which the command would end its process. */
    private static int run(Command command, String[] words, String input, PrintStream caught) throws Exception {
        InputStream in = System.in;
        PrintStream out = System.out;
        PrintStream err = System.err;
        List<Integer> codes = new ArrayList<>();
        List<Runnable> hooks = new ArrayList<>();
        Exit.setExitProcedure((status, _) -> {
            codes.add(status);
            throw new Ended();
        });
        Exit.setShutdownHookAdder((_, hook) -> hooks.add(hook));
        System.setIn(new ByteArrayInputStream(input.getBytes(UTF_8)));
        System.setOut(caught);
        System.setErr(caught);
        try {
            command.main(words);
        } catch (Ended e) {
            assertThat(codes).isNotEmpty();
        } finally {
            hooks.forEach(Runnable::run);
            System.setIn(in);
            System.setOut(out);
            System.setErr(err);
            Exit.resetExitProcedure();
            Exit.resetShutdownHookAdder();
        }
        return codes.isEmpty() ? 0 : codes.getFirst();
    }
}
