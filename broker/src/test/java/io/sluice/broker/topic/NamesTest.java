package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
    @ParameterizedTest
    @CsvSource({
        "public, default, orders, orders",
        "public, default, a.b_c-D9, a.b_c-D9",
        "acme, shop, orders.v1, _ns.acme.shop.orders.v1",
        "acme, shop_eu, a:b, _ns.acme.shop__eu.a_3Ab",
        "a.b, c, d, _ns.a_2Eb.c.d",
        "public, default, _ns.x, _ns.public.default.__ns.x",
        "public, default, ü, _ns.public.default._C3_BC",
    })
    void goThereAndBack(String tenant, String namespace, String local, String kafka) throws TopicException {
        TopicName name = new TopicName(tenant, namespace, local);
        assertThat(KafkaNames.of(name)).isEqualTo(kafka);
        assertThat(KafkaNames.parse(kafka)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "a b",
                "a/b",
                "_ns.",
                "_ns.a.b",
                "_ns.public.default.orders",
                "_ns.a.b.c_",
                "_ns.a.b.c_4",
                "_ns.a.b.c_zz",
                "_ns.a.b.c_41",
                "_ns.a.b.c_3a",
                "_ns.a.b.c_C3",
                "_ns.a_20b.c.d",
                "_ns.a.b_2Fc.d",
                "_ns.a._C3_BC.d"
            })
    void whatNoTopicIsCalledIsInvalid(String kafka) {
        assertThatThrownBy(() -> KafkaNames.parse(kafka))
                .isInstanceOf(TopicException.class)
                .hasMessageContaining("invalid topic name");
    }

    @Test
    void tooLongANameIsNotVisibleToKafka() {
        assertThat(KafkaNames.of(TopicName.ofDefault("x".repeat(249)))).hasSize(249);
        assertThat(KafkaNames.of(TopicName.ofDefault("x".repeat(250)))).isNull();
        assertThatThrownBy(() -> KafkaNames.parse("x".repeat(250))).isInstanceOf(TopicException.class);
    }

    @Test
    void noTwoTopicsShareAKafkaName() throws TopicException {
        Random random = new Random(1);
        Map<String, TopicName> seen = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            TopicName name = new TopicName(part(random), part(random), part(random));
            String kafka = Objects.requireNonNull(KafkaNames.of(name));
            assertThat(kafka).matches("[a-zA-Z0-9._-]{1,249}");
            TopicName other = seen.putIfAbsent(kafka, name);
            assertThat(other == null || other.equals(name)).isTrue();
            assertThat(KafkaNames.parse(kafka)).isEqualTo(name);
        }
    }

    private static String part(Random random) {
        String letters = "a_.:5n";
        StringBuilder s = new StringBuilder();
        for (int n = 1 + random.nextInt(4); n > 0; n--) {
            s.append(letters.charAt(random.nextInt(letters.length())));
        }
        return s.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "orders, persistent://public/default/orders, -1",
        "acme/shop/orders, persistent://acme/shop/orders, -1",
        "persistent://acme/shop/orders-partition-12, persistent://acme/shop/orders, 12",
        "orders-partition-0, persistent://public/default/orders, 0",
        "orders-partition-01, persistent://public/default/orders-partition-01, -1",
        "orders-partition-, persistent://public/default/orders-partition-, -1",
        "orders-partition-99999999999, persistent://public/default/orders-partition-99999999999, -1",
        "-partition-1, persistent://public/default/-partition-1, -1",
    })
    void pulsarNamesHavePartitions(String name, String topic, int partition) throws TopicException {
        PulsarNames.Parsed parsed = PulsarNames.parse(name);
        assertThat(parsed.topic()).hasToString(topic);
        assertThat(parsed.partition()).isEqualTo(partition);
        if (partition >= 0) {
            assertThat(PulsarNames.ofPartition(parsed.topic(), partition)).endsWith("/orders-partition-" + partition);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "non-persistent://public/default/t",
                "persistent://prop/cluster/ns/t",
                "a/b",
                "persistent://a//t",
                "persistent://a/b/",
                "a b/c/d",
                "x-partition-1-partition-2",
                ".",
                " ",
                "persistent://a/b/ "
            })
    void otherPulsarNamesAreInvalid(String name) {
        assertThatThrownBy(() -> PulsarNames.parse(name)).isInstanceOf(TopicException.class);
    }
}
