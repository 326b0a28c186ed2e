package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
                    STANDALONE | metadata: {url: 'zk:here:2181'} | metadata.url is for server only
                    STANDALONE | cluster: {nodeId: 1}            | cluster.nodeId is for server only
                    STANDALONE | bookkeeper: {ackQuorum: 3}      | bookkeeper is for server only
                    STANDALONE | internal: {port: 7000}          | internal is for server only
                    STANDALONE | kafka: {host: 0.0.0.0}          | kafka.host is 0.0.0.0, where anybody who reaches it could do everything
                    STANDALONE | pulsar: {host: 192.0.2.1}       | pulsar.host is 192.0.2.1, where anybody
                    STANDALONE | http: {host: '::'}              | http.host is ::, where anybody
                    STANDALONE | kafka: {listeners: {out: {host: 0.0.0.0}}} | kafka.listeners.out.host is 0.0.0.0, where anybody
                    STANDALONE | kafka: {tls: true}              | kafka.tls wants security.tls.certificate
                    STANDALONE | kafka: {authentication: token}  | kafka.authentication has token, which wants security.tokens
                    STANDALONE | {kafka: {tls: true, authentication: certificate}, security: {tls: {certificate: a}}} | kafka.authentication has certificate, which wants security.tls.clientAuthorities
                    STANDALONE | pulsar: {tls: true}             | pulsar.tls wants security.tls.certificate
                    STANDALONE | pulsar: {authentication: token} | pulsar.authentication has token, which wants security.tokens
                    STANDALONE | http: {authentication: token}   | http.authentication has token, which wants security.tokens
                    STANDALONE | http: {tls: true}               | http.tls wants security.tls.certificate
                    SERVER     | {metadata: {url: 'zk:here:2181'}, cluster: {nodeId: 1}, tier: {kind: s3, s3: {bucket: data}}, http: {tls: true}} | http.tls wants security.tls.certificate
                    STANDALONE | http: {authorities: ca.pem}     | http.authorities is for server only
                    SERVER     | {}                              | metadata.url is empty
                    SERVER     | metadata: {url: 'zk:here:2181'} | cluster.nodeId is empty
                    SERVER     | {metadata: {url: 'zk:here:2181'}, cluster: {nodeId: 1}, tier: {kind: s3, s3: {bucket: abc}}, internal: {host: 0.0.0.0}} | internal.host is 0.0.0.0, where anybody who reaches it is obeyed
                    SERVER     | {metadata: {url: 'zk:here:2181'}, cluster: {nodeId: 1}} | tier.kind is directory, which is on one machine
                    """)
    void eachProgramRefusesWhatOnlyTheOtherHas(Program program, String yaml, String line) {
        ServerConfig config = ConfigFile.parse(yaml, "test");
        assertThatThrownBy(() -> program.check(config))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(line)
                .hasMessageNotContaining("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kafka: {host: localhost}",
                "kafka: {host: '::1'}",
                "{kafka: {host: 0.0.0.0}, security: {allowAnonymous: true}}",
                "kafka: {host: 0.0.0.0, authentication: 'scram, password'}",
                "pulsar: {host: 0.0.0.0, authentication: password}",
                "kafka: {listeners: {out: {host: 0.0.0.0, port: 9093, authentication: scram}}}"
            })
    void aListenerIsOpenOnLoopbackOrWhereThatIsSaid(String yaml) {
        Program.STANDALONE.check(ConfigFile.parse(yaml, "test"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "internal: {host: 127.0.0.1}",
                "internal: {host: 192.0.2.1, secretFile: a}",
                "internal: {host: 192.0.2.1, tls: {certificate: a, key: b, authorities: c}}",
                "internal: {host: 192.0.2.1}\nsecurity: {allowAnonymous: true}"
            })
    void nodesProveThemselvesWhereOthersReachThem(String yaml) {
        String node = "metadata: {url: 'zk:here:2181'}\ncluster: {nodeId: 1}\ntier: {kind: s3, s3: {bucket: abc}}\n";
        Program.SERVER.check(ConfigFile.parse(node + yaml, "test"));
    }

    @Test
    void aNamedListenerHasTheDefaultsOfWhatItLeavesOut() {
        ServerConfig config = ConfigFile.parse("kafka: {listeners: {out: {port: 9093}}}", "test");
        assertThat(config.kafka().listeners())
                .containsExactly(Map.entry("out", new NamedListener("127.0.0.1", 9093, "", 0, false, "")));
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
                    kafka: {authentication: kerberos} | kafka.authentication has 'kerberos', known are certificate
                    kafka: {authentication: certificate} | kafka.authentication has certificate, which wants tls
                    kafka: {listeners: {'a b': {port: 1}}} | kafka.listeners' name is 'a b'
                    kafka: {listeners: {out: {prot: 1}}} | unknown setting kafka.listeners.out.prot
                    http: {authentication: scram} | http.authentication has scram, which HTTP's clients do not have
                    http: {authentication: certificate} | http.authentication has certificate, which wants tls: true
                    pulsar: {authentication: scram} | pulsar.authentication has scram, which Pulsar's clients do not have
                    pulsar: {authentication: certificate} | pulsar.authentication has certificate, which wants tls: true
                    internal: {tls: {certificate: a}} | internal.tls wants both certificate and authorities
                    internal: {tls: {authorities: a}} | internal.tls wants both certificate and authorities
                    security: {connectionsPerAddress: 0} | security.connectionsPerAddress is 0
                    security: {tokens: {jwks: a}}| security.tokens.jwks wants security.tokens.issuer
                    topics: {autoCreate: 7.5}    | topics.autoCreate
                    store: {containers: 0}       | store.containers is 0, allowed is 1 to 1024
                    tier: {kind: tape}           | tier.kind is 'tape', expected directory or s3
                    tier: {kind: }               | tier.kind is empty
                    tier: {s3: {secretAccessKey: }} | tier.s3.secretAccessKey is empty
                    tier: {kind: s3}             | tier.s3.bucket is empty
                    tier: {s3: {region: 'A B'}}  | tier.s3.region is 'A B'
                    tier: {s3: {bucket: a/b}}    | tier.s3.bucket is 'a/b'
                    tier: {s3: {prefix: /a}}     | tier.s3.prefix is '/a'
                    tier: {s3: {endpoint: here}} | tier.s3.endpoint is not a URL of the form
                    tier: {s3: {accessKeyId: a}} | tier.s3.secretAccessKey is empty
                    tier: {s3: {kmsKeyId: a}}    | tier.s3.kmsKeyId wants
                    tier: {s3: {checksum: md5}}  | tier.s3.checksum is 'md5', expected crc32c or when-required
                    tier: {s3: {callTimeoutMillis: 60000}} | tier.s3.callTimeoutMillis is 60000, allowed is 500 to 50000
                    tier: {s3: {maxAttempts: 0}} | tier.s3.maxAttempts is 0
                    cluster: {nodeId: -1}        | cluster.nodeId is -1, allowed is 0 to
                    cluster: {name: a b}         | cluster.name is 'a b'
                    metadata: {url: 'rocksdb:x'} | metadata.url is 'rocksdb:x', expected is zk:HOST:PORT/PATH
                    bookkeeper: {ensemble: 2}    | bookkeeper.writeQuorum is 3, allowed is 1 to 2
                    bookkeeper: {ackQuorum: 4}   | bookkeeper.ackQuorum is 4, allowed is 1 to 3
                    bookkeeper: {placement: row} | bookkeeper.placement is 'row', expected any or rack or region
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
    void singleSettingsWinOverTheFileAndThatOverAnInstallationsDefaults(@TempDir Path folder) throws Exception {
        Path defaults =
                Files.writeString(folder.resolve("defaults"), "kafka: {host: 0.0.0.0, port: 1}\npulsar: {port: 1}");
        Path file =
                Files.writeString(folder.resolve("file"), "kafka: {port: 2, advertisedHost: here}\nhttp: {port: 2}");
        ServerConfig config = ConfigFile.read(
                defaults,
                file,
                List.of(
                        "kafka.port=3",
                        "kafka.advertisedHost=",
                        "log.output=json",
                        "tier.s3.prefix=0123",
                        "http.port=4"));
        assertThat(config.kafka().host()).isEqualTo("0.0.0.0");
        assertThat(config.kafka().port()).isEqualTo(3);
        assertThat(config.kafka().advertisedHost()).isEmpty();
        assertThat(config.pulsar().port()).isEqualTo(1);
        assertThat(config.http().port()).isEqualTo(4);
        assertThat(config.log().output()).isEqualTo(Log.Output.JSON);
        assertThat(config.tier().s3().prefix()).isEqualTo("0123");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    kafka.prot=1        | unknown setting kafka.prot
                    kafak.port=1        | unknown setting kafak
                    kafka.port=high     | kafka.port is 'high'
                    kafka.port=70000    | kafka.port is 70000, allowed is 0 to 65535
                    kafka.advertisedPort=-1 | kafka.advertisedPort is -1, allowed is 0 to 65535
                    kafka.port=         | kafka.port
                    kafka=5             | kafka
                    kafka.port.x=5      | kafka.port
                    log.output=xml      | log.output is 'xml', expected text or json
                    topics.autoCreate=7 | topics.autoCreate
                    kafka.port          | --set wants KEY=VALUE
                    =hush               | --set wants KEY=VALUE
                    kafka..port=1       | --set wants KEY=VALUE
                    tier.s3.secretAccessKey=hush | tier.s3.accessKeyId is empty
                    """)
    void aWrongSingleSettingIsOneLineThatNamesIt(String setting, String line) {
        assertThatThrownBy(() -> ConfigFile.read(null, null, List.of(setting)))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--set")
                .hasMessageContaining(line)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("\n", "hush"));
    }

    @Test
    void aMissingFileSaysSo() {
        assertThatThrownBy(() -> ConfigFile.read(Path.of("no-such-file.yaml")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("no-such-file.yaml does not exist");
    }

    @Test
    void readsATierOnS3() {
        S3 s3 = ConfigFile.parse("""
                        tier:
                          kind: s3
                          s3: {bucket: b-1, accessKeyId: id, secretAccessKey: 123, serverSideEncryption: aws:kms, kmsKeyId: k}
                        """, "test").tier().s3();
        assertThat(s3.secretAccessKey().reveal()).isEqualTo("123");
        assertThat(s3.serverSideEncryption()).isEqualTo(S3.Encryption.KMS);
        assertThat(s3.maxAttempts()).isEqualTo(S3.defaults().maxAttempts());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{bucket: bkt, accessKeyId: id, secretAccessKey: hush}",
                "{accessKeyId: id, secretAccessKey: [hush]}",
                "{accessKeyId: id, secretAccessKey: {hush: hush}}",
                "{secretAccessKey: hush}",
                "{endpoint: 'https://me:hush@host'}",
                "{accessKeyId: id, secretAccessKey: \"hush}",
            })
    void aSecretIsNeverQuoted(String s3) {
        String said;
        try {
            said = ConfigFile.parse("tier: {s3: " + s3 + "}", "test").toString();
        } catch (ConfigException e) {
            said = String.valueOf(e.getMessage());
        }
        assertThat(said).doesNotContain("hush").doesNotContain("\n");
    }
}
