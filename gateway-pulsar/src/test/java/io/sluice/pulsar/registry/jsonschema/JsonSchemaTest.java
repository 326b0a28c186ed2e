package io.sluice.pulsar.registry.jsonschema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read as a JSON Schema, and what it may refer to. Keys and texts are in single quotes here. */
class JsonSchemaTest {
    private static JsonSchema parse(String text, Map<String, String> references) throws InvalidSchemaException {
        return JsonSchema.parse(text.replace('\'', '"'), references);
    }

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    @Test
    void isTheSameHoweverItIsWritten() throws Exception {
        JsonSchema one = parse("{'type':'number','maximum':10}", Map.of());
        JsonSchema other = parse(" { 'maximum' : 1.0e1, 'type' : 'number' } ", Map.of());
        assertThat(one.same(other)).isTrue();
        assertThat(other.normalized()).isEqualTo(json("{'maximum':10,'type':'number'}"));
        assertThat(other.text()).isEqualTo(json(" { 'maximum' : 1.0e1, 'type' : 'number' } "));
        assertThat(one.same(parse("{'type':'number','maximum':11}", Map.of()))).isFalse();
    }

    @Test
    void refersToOthersByNameUriAndAnchor() throws Exception {
        String address = json("{'$id':'https://example.com/address.json','type':'object','definitions':"
                + "{'zip':{'$id':'#zip','type':'string'}}}");
        Map<String, String> references = Map.of("address.json", address);
        String[] reached = {
            "{'$ref':'address.json'}",
            "{'$ref':'https://example.com/address.json'}",
            "{'$id':'https://example.com/person.json','$ref':'address.json'}",
        };
        for (String each : reached) {
            assertThat(parse("{'type':'object'}", Map.of()).differencesFrom(parse(each, references)))
                    .as(each)
                    .isEmpty();
        }
        for (String each : new String[] {"address.json#zip", "address.json#/definitions/zip"}) {
            assertThat(parse("{'type':'string'}", Map.of())
                            .differencesFrom(parse("{'$ref':'" + each + "'}", references)))
                    .as(each)
                    .isEmpty();
        }
        assertThat(parse("{'$ref':'address.json'}", references)
                        .same(parse("{'$ref':'address.json'}", Map.of("address.json", "{}"))))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "1",
                "{} {}",
                "{'type':'string','type':'number'}",
                "{'type':'text'}",
                "{'type':1}",
                "{'properties':[]}",
                "{'minLength':-1}",
                "{'required':'a'}",
                "{'$schema':'https://json-schema.org/draft/2020-12/schema','prefixItems':{}}",
                "{'maximum':1e1000000000}",
                "{'$ref':'#/definitions/a'}",
                "{'properties':{'a':{'$ref':'other.json'}}}",
                "{'$ref':'https://example.com/other.json'}",
                "{'$ref':'file:///etc/passwd'}",
                "{'$ref':'#/definitions/a','definitions':{'a':1}}"
            })
    void refusesWhatIsNone(String text) {
        assertThatThrownBy(() -> parse(text, Map.of())).isInstanceOf(InvalidSchemaException.class);
    }

    @Test
    void refusesWhatIsTooDeep() {
        assertThatThrownBy(() -> parse("{'not':".repeat(200) + "{}" + "}".repeat(200), Map.of()))
                .isInstanceOf(InvalidSchemaException.class);
    }
}
