package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigFileTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing set\n", "---\n"})
    void anEmptyFileMeansTheDefaults(String yaml) {
        assertThat(ConfigFile.parse(yaml, "test")).isEqualTo(ServerConfig.defaults());
    }

    @Test
    void aFileNamesOnlyWhatDiffers() {
        ServerConfig config = ConfigFile.parse("kafka:\n  port: 19092\ntopics: {autoCreate: false}\n", "test");
        assertThat(config.kafka().port()).isEqualTo(19092);
        assertThat(config.kafka().host()).isEqualTo("127.0.0.1");
        assertThat(config.topics().autoCreate()).isFalse();
        assertThat(config.pulsar()).isEqualTo(ServerConfig.defaults().pulsar());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    kafka: {prot: 1}             | unknown setting kafka.prot
                    kafak: {port: 1}             | unknown setting kafak
                    kafka: {port: high}          | kafka.port is 'high'
                    kafka: {port: 70000}         | kafka.port is 70000, allowed is 0 to 65535
                    kafka: {port: }              | kafka.port
                    kafka: 5                     | kafka
                    kafka: {host: ''}            | kafka.host is empty
                    topics: {autoCreate: 7.5}    | topics.autoCreate
                    store: {containers: 0}       | store.containers is 0, allowed is 1 to 1024
                    [1, 2]                       | not a list of settings
                    {{{                          | not YAML at line 1
                    """)
    void aWrongFileIsOneLineThatNamesTheSetting(String yaml, String line) {
        assertThatThrownBy(() -> ConfigFile.parse(yaml, "sluice.yaml"))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("sluice.yaml")
                .hasMessageContaining(line)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("\n"));
    }

    @Test
    void aMissingFileSaysSo() {
        assertThatThrownBy(() -> ConfigFile.read(Path.of("no-such-file.yaml")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("no-such-file.yaml does not exist");
    }
}
