package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An administrator, and a user that it makes, {@code erin}, do with Kafka's commands what they may, over TLS. */
final class SecuredCommands {
    private static final String TOPIC = "by-command";
    private static final String GROUP = "of-erin";
    private static final String SHARE = "of-several";
    private static final String RULES =
            " --allow-principal User:erin --producer --consumer --topic " + TOPIC + " --group " + GROUP;
    private static final String READ_ONE = " --from-beginning --max-messages 1 --timeout-ms 30000 --group " + GROUP;

    private final String bootstrap;
    private final Path rootFile;
    private final KafkasCommands root;

    /** @param rootFile settings of the administrator's client */
    SecuredCommands(String bootstrap, Path rootFile) {
        this.bootstrap = bootstrap;
        this.rootFile = rootFile;
        this.root = new KafkasCommands(bootstrap, rootFile);
    }

    /** @param forbidden a topic that there is, on which {@code erin} has no right */
    void check(String forbidden) throws Exception {
        make();
        var erin = new KafkasCommands(bootstrap, erinFile());
        erin.produce("--topic " + TOPIC, "hello\n");
        assertThat(erin.consume("--topic " + TOPIC + READ_ONE).lines()).contains("hello");
        groups();
        shareGroup();
        assertThat(erin.topics("--list").lines()).contains(TOPIC).doesNotContain(forbidden);
        assertThat(erin.consumerGroups("--describe --group " + GROUP))
                .containsPattern(GROUP + " +" + TOPIC + " +0 +0 +1 +1 ");
        assertThat(erin.topicsFails("--delete --topic " + TOPIC)).containsIgnoringCase("authoriz");
        assertThat(erin.topicsFails("--create --topic another")).containsIgnoringCase("authoriz");
        readNothingOf(forbidden, erin);
        root.acls("--remove --force" + RULES);
        assertThat(erin.topics("--list").lines()).doesNotContain(TOPIC);
        root.consumerGroups("--delete --group " + GROUP);
        root.topics("--delete --topic " + TOPIC);
        root.configs("--alter --entity-type users --entity-name erin --delete-config SCRAM-SHA-512");
        assertThat(erin.topicsFails("--list")).containsIgnoringCase("authentication failed");
    }

    /** The console consumer says why in its log alone. */
    private void readNothingOf(String forbidden, KafkasCommands erin) throws Exception {
        root.produce("--topic " + forbidden, "secret\n");
        String read = "--from-beginning --max-messages 1 --timeout-ms 30000 --topic " + forbidden;
        assertThat(root.consume(read + " --group of-root").lines()).contains("secret");
        assertThat(erin.consume(read + " --group " + GROUP)).doesNotContain("secret");
    }

    private void make() throws Exception {
        root.topics("--create --partitions 1 --topic " + TOPIC);
        assertThat(root.topics("--describe --topic " + TOPIC)).contains("PartitionCount: 1");
        root.acls("--add" + RULES);
        assertThat(root.acls("--list --topic " + TOPIC)).contains("principal=User:erin", "operation=WRITE");
        root.configs(
                "--alter --entity-type users --entity-name erin --add-config SCRAM-SHA-512=[password=open-sesame]");
        assertThat(root.configs("--describe --entity-type users --entity-name erin"))
                .contains("SCRAM-SHA-512");
        root.configs("--alter --entity-type topics --add-config retention.ms=3600000 --entity-name " + TOPIC);
        assertThat(root.configs("--describe --entity-type topics --entity-name " + TOPIC))
                .contains("retention.ms=3600000");
    }

    private Path erinFile() throws IOException {
        String login = "username=\"[^\"]*\" password=\"[^\"]*\"";
        return Files.writeString(
                rootFile.resolveSibling("erin.properties"),
                Files.readString(rootFile).replaceFirst(login, "username=\"erin\" password=\"open-sesame\""));
    }

    private void groups() throws Exception {
        assertThat(root.consumerGroups("--list").lines()).contains(GROUP);
        assertThat(root.consumerGroups("--describe --group " + GROUP))
                .containsPattern(GROUP + " +" + TOPIC + " +0 +1 +1 +0 ");
        assertThat(root.consumerGroups(
                        "--reset-offsets --to-earliest --execute --group " + GROUP + " --topic " + TOPIC))
                .containsPattern(GROUP + " +" + TOPIC + " +0 +0");
    }

    private void shareGroup() throws Exception {
        String named = " --group " + SHARE;
        root.configs(
                "--alter --entity-type groups --add-config share.auto.offset.reset=earliest --entity-name " + SHARE);
        assertThat(root.configs("--describe --entity-type groups --entity-name " + SHARE))
                .contains("share.auto.offset.reset=earliest");
        assertThat(root.consumeShared("--max-messages 1 --timeout-ms 30000 --topic " + TOPIC + named)
                        .lines())
                .contains("hello");
        assertThat(root.shareGroups("--list").lines()).contains(SHARE);
        assertThat(root.shareGroups("--describe" + named)).containsPattern(SHARE + " +" + TOPIC + " +0 +1 +0");
        root.shareGroups("--reset-offsets --to-earliest --execute --topic " + TOPIC + named);
        assertThat(root.shareGroups("--describe" + named)).containsPattern(SHARE + " +" + TOPIC + " +0 +0 +1");
        root.shareGroups("--delete-offsets --topic " + TOPIC + named);
        root.shareGroups("--delete" + named);
        assertThat(root.shareGroups("--list").lines()).doesNotContain(SHARE);
    }
}
