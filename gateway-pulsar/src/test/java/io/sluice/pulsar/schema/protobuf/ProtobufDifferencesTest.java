package io.sluice.pulsar.schema.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which changes break readers, by the kinds of Confluent's registry. */
class ProtobufDifferencesTest {
    private static final String HEAD = "syntax = \"proto3\"; package p; ";
    private static final String OLD = "syntax = \"proto2\"; ";

    private static List<String> kinds(ProtobufSchema writer, ProtobufSchema reader) {
        return reader.differencesFrom(writer).stream()
                .map(each -> each.substring(0, each.indexOf(' ')))
                .toList();
    }

    private static ProtobufSchema parse(String text, Map<String, String> imports) throws Exception {
        return ProtobufSchema.parse(text, imports);
    }

    private static List<String> kinds(String head, String writer, String reader) throws Exception {
        return kinds(parse(head + writer, Map.of()), parse(head + reader, Map.of()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    message A { string s = 1; }                      | message A { string s = 1; float f = 2; }
                    message A { string s = 1; float f = 2; }         | message A { string s = 1; }
                    message A { string s = 1; }                      | message A { string other = 1; }
                    message A { string s = 1; }                      | message A { string s = 2; }
                    message A { int32 n = 1; }                       | message A { int64 n = 1; }
                    message A { bool n = 1; }                        | message A { uint32 n = 1; }
                    message A { sint32 n = 1; }                      | message A { sint64 n = 1; }
                    message A { fixed32 n = 1; }                     | message A { sfixed32 n = 1; }
                    message A { fixed64 n = 1; }                     | message A { sfixed64 n = 1; }
                    message A { string s = 1; }                      | message A { bytes s = 1; }
                    message A { int32 n = 1; } enum E { Z = 0; }     | message A { E n = 1; } enum E { Z = 0; }
                    message A { E n = 1; } enum E { Z = 0; }         | message A { int32 n = 1; }
                    message A { E n = 1; } enum E { Z = 0; Y = 1; }  | message A { E n = 1; } enum E { Z = 0; X = 1; }
                    message A { string s = 1; }                      | message A { repeated string s = 1; }
                    message A { A a = 1; }                           | message A { repeated A a = 1; }
                    message A { string s = 1; }                      | message B { int32 n = 1; } message A { string s = 1; }
                    message A { string s = 1; string t = 2; }        | message A { string s = 1; oneof o { string t = 2; int32 n = 3; } }
                    message A { oneof o { string s = 1; } }          | message A { oneof o { string s = 1; int32 n = 2; } }
                    message A { oneof o { string s = 1; } }          | message A { oneof q { string s = 1; } }
                    message A { oneof o { string s = 1; int32 n = 2; } } | message A { string s = 1; int32 n = 2; }
                    message A { oneof o { string s = 1; int32 n = 2; } } | message A { string t = 3; }
                    message A { map<string, int32> m = 1; }          | message A { map<string, int64> m = 1; }
                    message A { message I { string s = 1; } I i = 1; } | message A { message I { string s = 1; } .p.A.I i = 1; }
                    service S { rpc f (A) returns (A); } message A { } | message A { }
                    """)
    void readersAreNotBroken(String writer, String reader) throws Exception {
        assertThat(kinds(HEAD, writer, reader)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    message A { } message B { }               | message A { }                                | MESSAGE_REMOVED
                    message A { message I { } }               | message A { }                                | MESSAGE_REMOVED
                    message A { int32 n = 1; }                | message A { string n = 1; }                  | FIELD_SCALAR_KIND_CHANGED
                    message A { int32 n = 1; }                | message A { sint32 n = 1; }                  | FIELD_SCALAR_KIND_CHANGED
                    message A { int32 n = 1; }                | message A { fixed32 n = 1; }                 | FIELD_SCALAR_KIND_CHANGED
                    message A { float n = 1; }                | message A { double n = 1; }                  | FIELD_SCALAR_KIND_CHANGED
                    message A { int32 n = 1; }                | message A { A n = 1; }                       | FIELD_KIND_CHANGED
                    message A { string n = 1; }               | message A { A n = 1; }                       | FIELD_KIND_CHANGED
                    message A { map<string, int32> n = 1; }   | message A { repeated A n = 1; }              | FIELD_KIND_CHANGED
                    message A { map<string, int32> m = 1; }   | message A { map<string, string> m = 1; }     | FIELD_SCALAR_KIND_CHANGED
                    message A { int32 n = 1; }                | message A { repeated int32 n = 1; }          | FIELD_NUMERIC_LABEL_CHANGED
                    message A { B b = 1; } message B { } message C { } | message A { C b = 1; } message B { } message C { } | FIELD_NAMED_TYPE_CHANGED
                    message A { string s = 1; string t = 2; } | message A { oneof o { string s = 1; string t = 2; } } | MULTIPLE_FIELDS_MOVED_TO_ONEOF
                    message A { string s = 1; oneof o { string t = 2; } } | message A { oneof o { string s = 1; string t = 2; } } | FIELD_MOVED_TO_EXISTING_ONEOF
                    message A { string s = 1; oneof o { string t = 2; } } | message A { oneof q { string s = 1; string t = 2; } } | FIELD_MOVED_TO_EXISTING_ONEOF
                    message A { oneof o { string s = 1; } oneof q { string t = 2; } } | message A { oneof o { string s = 1; string t = 2; } } | FIELD_MOVED_TO_EXISTING_ONEOF
                    message A { oneof o { string s = 1; string t = 2; } } | message A { oneof o { string s = 1; } } | ONEOF_FIELD_REMOVED
                    message A { message I { int32 n = 1; } }  | message A { message I { string n = 1; } }    | FIELD_SCALAR_KIND_CHANGED
                    message A { oneof o { int32 n = 1; } }    | message A { oneof o { string n = 1; } }      | FIELD_SCALAR_KIND_CHANGED
                    """)
    void readersAreBroken(String writer, String reader, String kind) throws Exception {
        assertThat(kinds(HEAD, writer, reader)).containsExactly(kind);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    message A { }                         | message A { required int32 n = 1; } | REQUIRED_FIELD_ADDED
                    message A { required int32 n = 1; }   | message A { }                       | REQUIRED_FIELD_REMOVED
                    message A { optional int32 n = 1; }   | message A { required int32 n = 1; } | REQUIRED_FIELD_ADDED
                    """)
    void requiredFieldsAreThereForGood(String writer, String reader, String kind) throws Exception {
        assertThat(kinds(OLD, writer, reader)).containsExactly(kind);
        assertThat(kinds(OLD, reader, reader)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    package x; message H { int32 n = 1; } | package x; message H { int64 n = 1; }
                    package x; message H { int32 n = 1; } | package y; message H { int32 n = 1; }
                    package x; message O { message H { int32 n = 1; } } | package y; message O { message H { int32 n = 1; } }
                    """)
    void whatIsImportedIsComparedByItsFields(String before, String after) throws Exception {
        assertThat(kinds(importing(before), importing(after))).isEmpty();
        String other = after.replace("int32", "string").replace("int64", "string");
        assertThat(kinds(importing(before), importing(other))).containsExactly("FIELD_SCALAR_KIND_CHANGED");
    }

    private static ProtobufSchema importing(String imported) throws Exception {
        String type = imported.contains("O {") ? "O.H" : "H";
        String space = imported.substring("package ".length(), "package ".length() + 1);
        String text = "syntax = \"proto3\"; import \"h.proto\"; message A { " + space + "." + type + " h = 1; }";
        return parse(text, Map.of("h.proto", "syntax = \"proto3\"; " + imported));
    }

    @ParameterizedTest
    @ValueSource(strings = {"q", "p.q"})
    void aPackageIsPartOfEveryName(String other) throws Exception {
        ProtobufSchema writer = parse(HEAD + "message A { }", Map.of());
        ProtobufSchema reader = parse("syntax = \"proto3\"; package " + other + "; message A { }", Map.of());
        assertThat(kinds(writer, reader)).containsExactly("PACKAGE_CHANGED");
    }
}
