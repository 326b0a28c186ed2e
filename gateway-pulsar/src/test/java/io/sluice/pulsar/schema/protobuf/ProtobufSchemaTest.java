package io.sluice.pulsar.schema.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files as text and as descriptors, and the form in which those that mean the same are the same. */
class ProtobufSchemaTest {
    private static final String ALL = """
            // A comment.
            syntax = "proto3";
            package x.y;
            import "google/type/date.proto";
            import "google/protobuf/timestamp.proto";
            import "confluent/meta.proto";
            option java_package = "a.b";
            message A {
              option (confluent.message_meta).doc = "what it is";
              reserved 9 to 11, 7;
              reserved "q";
              optional int32 n = 3 [deprecated = true];
              map<string, B> m = 2;
              repeated int64 r = 1 [packed = false];
              oneof u { string s = 4; bytes b = 5; }
              google.protobuf.Timestamp at = 6;
              google.type.Date day = 13;
              E e = 12 [json_name = "zz", (confluent.field_meta) = { doc: "d" params: { key: "k" value: "v" } }];
              message In { A a = 1; }
              enum E { option allow_alias = true; Z = 0; Y = 0; reserved 5 to 6; }
            }
            message B {}
            service S { rpc f (A) returns (stream B); }
            """;

    private static ProtobufSchema parse(String text) throws InvalidSchemaException {
        return ProtobufSchema.parse(text, Map.of());
    }

    @Test
    void isTheSameFromItsDescriptor() throws Exception {
        ProtobufSchema text = parse(ALL);
        ProtobufSchema descriptor = parse(text.serialized());
        assertThat(descriptor.same(text)).isTrue();
        assertThat(descriptor.normalized()).isEqualTo(text.normalized());
        assertThat(parse(text.normalized()).normalized()).isEqualTo(text.normalized());
        assertThat(text.text()).isEqualTo(ALL);
        assertThat(text.normalized())
                .contains(
                        "reserved 7, 9 to 11;",
                        "optional int32 n = 3 [deprecated = true];",
                        "map<string, .x.y.B> m = 2;",
                        "json_name = \"zz\"",
                        "params { key: \"k\" value: \"v\" }",
                        "reserved 5 to 6;",
                        "rpc f (.x.y.A) returns (stream .x.y.B);")
                .doesNotContain("comment");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "syntax = \"proto3\"; message A { string s = 2; int32 n = 1; } message B { A a = 1; }",
                "syntax=\"proto3\"; /* } */ message A { int32 n = 1 [json_name = \"n\"]; string s = 2; } message B { .A a = 1; }"
            })
    void meansTheSameHoweverItIsWritten(String text) throws Exception {
        String plain = "syntax = \"proto3\"; message A { int32 n = 1; string s = 2; } message B { A a = 1; }";
        assertThat(parse(text).same(parse(plain))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "syntax = \"proto3\"; message B { A a = 1; } message A { int32 n = 1; string s = 2; }",
                "syntax = \"proto3\"; message A { optional int32 n = 1; string s = 2; } message B { A a = 1; }",
                "syntax = \"proto3\"; message A { reserved 3; int32 n = 1; string s = 2; } message B { A a = 1; }"
            })
    void differsInWhatClientsSee(String text) throws Exception {
        String plain = "syntax = \"proto3\"; message A { int32 n = 1; string s = 2; } message B { A a = 1; }";
        assertThat(parse(text).same(parse(plain))).isFalse();
    }

    @Test
    void whatItImportsIsPartOfIt() throws Exception {
        String text = "syntax = \"proto3\"; import \"b.proto\"; message A { B b = 1; }";
        ProtobufSchema one =
                ProtobufSchema.parse(text, Map.of("b.proto", "syntax = \"proto3\"; message B { int32 n = 1; }"));
        ProtobufSchema other =
                ProtobufSchema.parse(text, Map.of("b.proto", "syntax = \"proto3\"; message B { int64 n = 1; }"));
        assertThat(one.same(other)).isFalse();
        assertThat(one.standsAlone()).isFalse();
        assertThat(ProtobufSchema.parse(
                                one.serialized(), Map.of("b.proto", "syntax = \"proto3\"; message B { int32 n = 1; }"))
                        .same(one))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "message {",
                "{\"type\": \"record\"}",
                "AAAA",
                "syntax = \"proto3\"; message A { B b = 1; }",
                "syntax = \"proto3\"; message A { int32 a = 1; int32 b = 1; }",
                "syntax = \"proto3\"; import \"other.proto\"; message A { }",
                "syntax = \"proto3\"; import \"https://example.com/other.proto\"; message A { }",
                "syntax = \"proto3\"; import \"/etc/other.proto\"; message A { }",
                "syntax = \"proto3\"; import \"default.proto\"; message A { }",
                "edition = \"2023\"; message A { }",
                "syntax = \"proto2\"; message A { optional group G = 1 { optional int32 a = 1; } }"
            })
    void refusesWhatIsNone(String text) {
        assertThatThrownBy(() -> parse(text)).isInstanceOf(InvalidSchemaException.class);
    }

    @Test
    void refusesMoreThanItsBounds() {
        assertThatThrownBy(() -> parse("message A {".repeat(100) + "}".repeat(100)))
                .hasMessageContaining("64 levels");
        assertThatThrownBy(() -> parse("message A {}".repeat(3_001))).hasMessageContaining("3000 blocks");
        assertThatThrownBy(() -> parse("import \"x\";".repeat(20_001))).hasMessageContaining("20000 statements");
        assertThatThrownBy(() -> ProtobufSchema.parse(
                        "import \"a.proto\";",
                        Map.of("a.proto", "import \"b.proto\";", "b.proto", "import \"a.proto\";")))
                .hasMessageContaining("cycle");
        byte[] deep = {0x22, 0x7f};
        assertThatThrownBy(() -> parse(Base64.getEncoder().encodeToString(deep)))
                .isInstanceOf(InvalidSchemaException.class);
    }
}
