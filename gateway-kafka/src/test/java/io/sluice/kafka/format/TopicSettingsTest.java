package io.sluice.kafka.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Topic settings are Kafka's: names, ranges, defaults, and values that exclude each other. */
class TopicSettingsTest {
    private static final BatchRules SERVER = BatchRules.defaults(1000, true);

    @Test
    void takesEverySettingOfKafkasWithItsDefault() {
        Map<String, String> all = new HashMap<>();
        TopicSettings.all().forEach(setting -> all.put(setting.name(), setting.defaultValue()));
        assertThat(all).containsOnlyKeys(LogConfig.nonInternalConfigNames());
        assertThat(TopicSettings.whyNot(all, Map.of())).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "min.insync.replicas, 3",
        "remote.storage.enable, true",
        "local.retention.ms, 1000",
        "leader.replication.throttled.replicas, 0:1",
        "errors.deadletterqueue.group.enable, true",
        "cleanup.policy, ' compact , delete '",
        "cleanup.policy, ''",
        "preallocate, TRUE",
        "retention.ms, ' 5000 '",
        "retention.bytes, -7",
    })
    void takesWhatKafkaTakes(String name, String value) {
        assertThat(TopicSettings.whyNot(Map.of(name, value), Map.of())).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "no.such, 1, Unknown topic config name: no.such",
        "retention.ms, -2, Value must be at least -1",
        "min.insync.replicas, 0, Value must be at least 1",
        "segment.bytes, 1000, Value must be at least 1048576",
        "compression.type, brotli, must be one of",
        "preallocate, maybe, Expected value to be either true or false",
        "cleanup.policy, purge, must be one of",
    })
    void refusesWhatKafkaRefusesInKafkasWords(String name, String value, String reason) {
        assertThat(TopicSettings.whyNot(Map.of(name, value), Map.of())).contains(reason);
    }

    @Test
    void refusesValuesThatExcludeEachOther() {
        Map<String, String> lags = Map.of("min.compaction.lag.ms", "10", "max.compaction.lag.ms", "5");
        assertThat(TopicSettings.whyNot(lags, Map.of())).contains("conflict");
        assertThat(TopicSettings.whyNot(lags, Map.of("max.compaction.lag.ms", "5")))
                .contains("conflict");
    }

    @Test
    void refusesANullValue() {
        Map<String, String> settings = new HashMap<>();
        settings.put("retention.ms", null);
        assertThat(TopicSettings.whyNot(settings, Map.of())).contains("Null value");
    }

    @Test
    void anUnchangedInvalidValueBarsNoOtherChange() {
        Map<String, String> before = Map.of("retention.ms", "for ever");
        assertThat(TopicSettings.whyNot(Map.of("retention.ms", "for ever", "segment.ms", "1"), before))
                .isNull();
        assertThat(TopicSettings.whyNot(Map.of("retention.ms", "for good"), before))
                .isNotNull();
    }

    @Test
    void batchRulesFollowTheTopicAndThenTheServer() {
        assertThat(TopicSettings.batchRules(Map.of(), SERVER)).isSameAs(SERVER);
        assertThat(TopicSettings.batchRules(Map.of("segment.ms", "1"), SERVER)).isEqualTo(SERVER);
        assertThat(TopicSettings.batchRules(Map.of("max.message.bytes", "many"), SERVER))
                .as("what another door wrote")
                .isEqualTo(new BatchRules(
                        1_048_588, SERVER.maxRecordBytes(), false, 3_600_000, Long.MAX_VALUE, false, true));
        Map<String, String> settings = Map.of(
                "max.message.bytes", " 7 ",
                "max.decompressed.message.bytes", "6",
                "message.timestamp.type", "LogAppendTime",
                "message.timestamp.after.max.ms", "5",
                "message.timestamp.before.max.ms", "4",
                "cleanup.policy", "delete, compact");
        assertThat(TopicSettings.batchRules(settings, SERVER)).isEqualTo(new BatchRules(7, 6, true, 5, 4, true, true));
    }

    @Test
    void aLevelOfDurabilityIsOneToFour() {
        for (String level : List.of("1", "2", "3", "4")) {
            assertThat(TopicSettings.whyNot(Map.of("sluice.durability", level), Map.of()))
                    .isNull();
        }
        for (String bad : List.of("0", "5", "", " 1", "all", "1.0", "-1")) {
            assertThat(TopicSettings.whyNot(Map.of("sluice.durability", bad), Map.of()))
                    .isEqualTo("Invalid value " + bad + " for configuration sluice.durability: Value must be 1 to 4");
        }
    }

    @Test
    void theWireFormatIsOneOfThree() {
        for (String value : List.of("keep", "pulsar", "both")) {
            assertThat(TopicSettings.whyNot(Map.of("sluice.wire.format", value), Map.of()))
                    .isNull();
        }
        for (String bad : List.of("", "kafka", "BOTH", "true")) {
            assertThat(TopicSettings.whyNot(Map.of("sluice.wire.format", bad), Map.of()))
                    .isEqualTo("Invalid value " + bad
                            + " for configuration sluice.wire.format: Value must be keep, pulsar or both");
        }
    }

    @Test
    void aLimitOfScalingIsANumberFromZeroOn() {
        for (String name : List.of("sluice.scaling.bytes.per.second", "sluice.scaling.events.per.second")) {
            for (String limit : List.of("0", "1", "999999999999999")) {
                assertThat(TopicSettings.whyNot(Map.of(name, limit), Map.of())).isNull();
            }
            for (String bad : List.of("", "-1", "1.5", "1000000000000000", "many")) {
                assertThat(TopicSettings.whyNot(Map.of(name, bad), Map.of()))
                        .isEqualTo("Invalid value " + bad + " for configuration " + name
                                + ": Value must be a number from 0 to 999999999999999");
            }
        }
    }

    @Test
    void thePageOfSettingsHasARowForEach() throws IOException {
        String page = Files.readString(Path.of("../docs/topic-settings.md"));
        List<String> rows = Pattern.compile("^\\| `([a-z.0-9]+)` \\|", Pattern.MULTILINE)
                .matcher(page)
                .results()
                .map((MatchResult row) -> row.group(1))
                .toList();
        List<String> settings = new ArrayList<>(LogConfig.nonInternalConfigNames());
        settings.add(TopicSettings.ELASTIC.name());
        settings.add(TopicSettings.DURABILITY.name());
        settings.add(TopicSettings.WIRE_FORMAT.name());
        settings.add(TopicSettings.SCALING_BYTES.name());
        settings.add(TopicSettings.SCALING_EVENTS.name());
        assertThat(rows).containsExactlyInAnyOrderElementsOf(settings);
    }
}
