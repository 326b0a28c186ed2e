package io.sluice.pulsar.registry.jsonschema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which changes break readers, by the rules of Confluent's registry. Keys and texts are in single quotes here. */
class JsonSchemaDifferencesTest {
    private static final String TREE = "{'$schema':'https://json-schema.org/draft/2020-12/schema',"
            + "'type':'object','properties':{'v':{'type':'%s'},'next':{'$ref':'#'}},'additionalProperties':false}";

    private static JsonSchema parse(String text) throws InvalidSchemaException {
        return JsonSchema.parse(text.replace('\'', '"'), Map.of());
    }

    private static List<String> kinds(String writer, String reader) throws InvalidSchemaException {
        return parse(reader).differencesFrom(parse(writer)).stream()
                .map(each -> each.substring(0, each.indexOf(' ')))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {'type':'string'}                       | {}
                    {'type':'string'}                       | true
                    false                                   | {'type':'string'}
                    {'title':'a','$id':'a','default':1}     | {'title':'b','$id':'b','default':2}
                    {'type':'integer'}                      | {'type':'number'}
                    {'type':'object'}                       | {'type':['object','null']}
                    {'enum':['a']}                          | {'type':'string'}
                    {'enum':[1]}                            | {'enum':[1.0,2]}
                    {'const':'a'}                           | {'enum':['b','a']}
                    {'type':'string','maxLength':3}         | {'type':'string','maxLength':4}
                    {'type':'string','minLength':3}         | {'type':'string','minLength':2}
                    {'type':'string','pattern':'a'}         | {'type':'string'}
                    {'type':'string'}                       | {'type':'string','minLength':0}
                    {'type':'string'}                       | {'type':['string','number'],'minimum':3}
                    {'type':'number','maximum':3}           | {'type':'number','maximum':3.5}
                    {'type':'number','minimum':3}           | {'type':'number'}
                    {'type':'number','maximum':3}           | {'type':'number','exclusiveMaximum':4}
                    {'type':'number','multipleOf':10}       | {'type':'number','multipleOf':2.5}
                    {'type':'integer'}                      | {'type':'integer','multipleOf':1}
                    {'properties':{'a':{'type':'string'}}}  | {'properties':{}}
                    {'properties':{}}                       | {'properties':{'a':true}}
                    {'properties':{},'additionalProperties':false} | {'properties':{'a':{'type':'string'}},'additionalProperties':false}
                    {'properties':{},'additionalProperties':false} | {'properties':{'a':{'type':'string','default':''}},'required':['a'],'additionalProperties':false}
                    {'properties':{},'additionalProperties':{'type':'string'}} | {'properties':{'a':{'type':'string'}},'additionalProperties':{'type':'string'}}
                    {'patternProperties':{'^s_':{'type':'string'}},'additionalProperties':false} | {'properties':{'s_a':{'type':['string','null']}},'patternProperties':{'^s_':{'type':'string'}},'additionalProperties':false}
                    {'properties':{'n_a':{'type':'integer'}},'additionalProperties':false} | {'patternProperties':{'^n_':{'type':'number'}},'additionalProperties':false}
                    {'properties':{'a':{'type':'string'}},'required':['a']} | {'properties':{'a':{'type':'string'}}}
                    {'properties':{'a':{'type':'string'}}}  | {'properties':{'a':{'type':'string','default':''}},'required':['a']}
                    {'additionalProperties':false}          | {'additionalProperties':{'type':'string'}}
                    {'additionalProperties':{'type':'integer'}} | {'additionalProperties':{'type':'number'}}
                    {'maxProperties':1}                     | {'maxProperties':2}
                    {'minProperties':2}                     | {}
                    {'dependencies':{'a':['b','c']}}        | {'dependencies':{'a':['b']}}
                    {'dependencies':{'a':{'minProperties':2}}} | {'dependencies':{'a':{'minProperties':1}}}
                    {'type':'array','items':{'type':'string'}} | {'type':'array'}
                    {'type':'array','items':[{'type':'string'}],'additionalItems':false} | {'type':'array','items':[{'type':'string'},{'type':'number'}],'additionalItems':false}
                    {'type':'array','items':[{'type':'string'},{'type':'number'}],'additionalItems':false} | {'type':'array','items':[{'type':'string'}],'additionalItems':{'type':'number'}}
                    {'type':'array','maxItems':1}           | {'type':'array','maxItems':2}
                    {'type':'array','uniqueItems':true}     | {'type':'array'}
                    {'oneOf':[{'type':'string'}]}           | {'oneOf':[{'type':'number'},{'type':'string'}]}
                    {'type':'string'}                       | {'oneOf':[{'type':'null'},{'type':'string'}]}
                    {'type':['string','null']}              | {'oneOf':[{'type':'null'},{'type':'string'}]}
                    {'oneOf':[{'type':'null'},{'type':'string'}]} | {'type':['string','null']}
                    {'oneOf':[{'type':'string'}]}           | {'type':'string'}
                    {'oneOf':[{'type':'string'}]}           | {'anyOf':[{'type':'number'},{'type':'string'}]}
                    {'allOf':[{'type':'string'},{'maxLength':3}]} | {'allOf':[{'maxLength':4},{'type':'string'}]}
                    {'allOf':[{'type':'string'},{'maxLength':3}]} | {'allOf':[{'type':'string'}]}
                    {'allOf':[{'type':'number'},{'type':'string'}]} | {'anyOf':[{'type':'string'}]}
                    {'type':'string'}                       | {'allOf':[{'type':'string'}]}
                    {'allOf':[{'type':'string'},{'maxLength':3},{'pattern':'a'}]} | {'type':'string','maxLength':4,'pattern':'a'}
                    {'not':{'type':'number'}}               | {'not':{'type':'integer'}}
                    {'not':{'type':'number'}}               | {}
                    {'type':'string'}                       | {'$ref':'#/definitions/a','definitions':{'a':{'type':'string'}}}
                    {'$ref':'#/definitions/a','definitions':{'a':{'type':'string'}}} | {'type':'string'}
                    {'if':{'type':'string'},'then':{'minLength':1}} | {'if':{'type':'string'},'then':{'minLength':1}}
                    """)
    void readersAreNotBroken(String writer, String reader) throws Exception {
        assertThat(kinds(writer, reader)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {}                                      | {'type':'string'}                  | TYPE_NARROWED
                    {'type':'string'}                       | false                              | SCHEMA_REMOVED
                    {'type':'object'}                       | {'type':'array'}                   | TYPE_CHANGED
                    {'type':'number'}                       | {'type':'integer'}                 | TYPE_NARROWED
                    {'enum':['a','b']}                      | {'enum':['a']}                     | ENUM_ARRAY_NARROWED
                    {'const':'a'}                           | {'const':'b'}                      | ENUM_ARRAY_CHANGED
                    {'type':'string','maxLength':3}         | {'type':'string','maxLength':2}    | MAX_LENGTH_DECREASED
                    {'type':'string'}                       | {'type':'string','maxLength':2}    | MAX_LENGTH_ADDED
                    {'type':'string','minLength':3}         | {'type':'string','minLength':4}    | MIN_LENGTH_INCREASED
                    {'type':'string','pattern':'a'}         | {'type':'string','pattern':'b'}    | PATTERN_CHANGED
                    {'type':'string'}                       | {'type':'string','pattern':'b'}    | PATTERN_ADDED
                    {'type':'number','maximum':3}           | {'type':'number','maximum':2.9}    | MAXIMUM_DECREASED
                    {'type':'number','maximum':3}           | {'type':'number','exclusiveMaximum':3} | MAXIMUM_DECREASED
                    {'type':'number'}                       | {'type':'number','minimum':1}      | MINIMUM_ADDED
                    {'type':'number','minimum':1}           | {'type':'number','minimum':2}      | MINIMUM_INCREASED
                    {'type':'number','multipleOf':10}       | {'type':'number','multipleOf':11}  | MULTIPLE_OF_CHANGED
                    {'type':'number'}                       | {'type':'number','multipleOf':2}   | MULTIPLE_OF_ADDED
                    {'properties':{}}                       | {'properties':{'a':{'type':'string'}}} | PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL
                    {'properties':{},'additionalProperties':{'type':'string'}} | {'properties':{'a':{'type':'number'}},'additionalProperties':{'type':'string'}} | PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL
                    {'properties':{'a':{'type':'string'}},'additionalProperties':false} | {'properties':{},'additionalProperties':false} | PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL
                    {'properties':{'a':{'type':'number'}},'additionalProperties':false} | {'additionalProperties':{'type':'string'}} | PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL
                    {'properties':{'a':{'type':'string'}}}  | {'properties':{'a':{'type':'number'}}} | TYPE_CHANGED
                    {'properties':{'a':{'type':'string'}}}  | {'properties':{'a':{'type':'string'}},'required':['a']} | REQUIRED_ATTRIBUTE_ADDED
                    {'properties':{},'additionalProperties':false} | {'properties':{'a':{'type':'string'}},'required':['a'],'additionalProperties':false} | REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL
                    {'type':'object'}                       | {'type':'object','additionalProperties':false} | SCHEMA_REMOVED
                    {'additionalProperties':{'type':'string'}} | {'additionalProperties':{'type':'number'}} | TYPE_CHANGED
                    {'type':'object'}                       | {'type':'object','patternProperties':{'^a':{'type':'string'}}} | TYPE_NARROWED
                    {'maxProperties':2}                     | {'maxProperties':1}                | MAX_PROPERTIES_DECREASED
                    {'minProperties':1}                     | {'minProperties':2}                | MIN_PROPERTIES_INCREASED
                    {'dependencies':{'a':['b']}}            | {'dependencies':{'b':['a']}}       | DEPENDENCY_ARRAY_ADDED
                    {'dependencies':{'a':['b']}}            | {'dependencies':{'a':['b','c']}}   | DEPENDENCY_ARRAY_EXTENDED
                    {}                                      | {'dependencies':{'a':{'minProperties':1}}} | DEPENDENCY_SCHEMA_ADDED
                    {'type':'array'}                        | {'type':'array','items':{'type':'string'}} | TYPE_NARROWED
                    {'type':'array','items':[{'type':'string'}]} | {'type':'array','items':[{'type':'number'}]} | TYPE_CHANGED
                    {'additionalItems':true}                | {'additionalItems':false}          | SCHEMA_REMOVED
                    {'type':'array','maxItems':2}           | {'type':'array','maxItems':1}      | MAX_ITEMS_DECREASED
                    {'type':'array'}                        | {'type':'array','uniqueItems':true} | UNIQUE_ITEMS_ADDED
                    {'type':'array'}                        | {'type':'array','contains':{'type':'string'}} | CONTAINS_ADDED
                    {'oneOf':[{'type':'number'},{'type':'string'}]} | {'oneOf':[{'type':'string'}]} | SUM_TYPE_NARROWED
                    {'anyOf':[{'type':'number'},{'type':'string'}]} | {'oneOf':[{'type':'string'}]} | SUM_TYPE_NARROWED
                    {'oneOf':[{'type':'string'},{'type':'integer'}]} | {'allOf':[{'type':'string'}]} | TYPE_CHANGED
                    {'type':'string'}                       | {'allOf':[{'type':'number'},{'type':'string'}]} | TYPE_CHANGED
                    {'allOf':[{'type':'string'}]}           | {'allOf':[{'enum':['a']},{'type':'string'}]} | PRODUCT_TYPE_EXTENDED
                    {'not':{'type':'integer'}}              | {'not':{'type':'number'}}          | NOT_TYPE_EXTENDED
                    {}                                      | {'not':{'type':'number'}}          | NOT_TYPE_EXTENDED
                    {'$ref':'#/definitions/a','definitions':{'a':{'type':'string'}}} | {'$ref':'#/definitions/a','definitions':{'a':{'type':'number'}}} | TYPE_CHANGED
                    {'if':{'type':'string'},'then':{'minLength':1}} | {'if':{'type':'string'},'then':{'minLength':2}} | CONDITION_CHANGED
                    """)
    void readersAreBroken(String writer, String reader, String kind) throws Exception {
        assertThat(kinds(writer, reader)).containsExactly(kind);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {'type':'array','prefixItems':[{'type':'string'}],'items':false} | {'type':'array','prefixItems':[{'type':'string'},{'type':'number'}],'items':false} | []
                    {'type':'array','prefixItems':[{'type':'string'}]} | {'type':'array','prefixItems':[{'type':'number'}]} | [TYPE_CHANGED]
                    {'dependentRequired':{'a':['b']}}       | {'dependentRequired':{'a':['b','c']}} | [DEPENDENCY_ARRAY_EXTENDED]
                    {'dependentSchemas':{'a':{'minProperties':2}}} | {'dependentSchemas':{}}     | []
                    {'$ref':'#/$defs/a','maxLength':3,'$defs':{'a':{'type':'string'}}} | {'type':'string','maxLength':4} | []
                    {'type':'string','maxLength':3}         | {'$ref':'#/$defs/a','maxLength':4,'$defs':{'a':{'type':'string'}}} | []
                    {'type':'string','maxLength':3}         | {'$ref':'#/$defs/a','maxLength':2,'$defs':{'a':{'type':'string'}}} | [MAX_LENGTH_DECREASED]
                    """)
    void laterDraftsHaveKeywordsOfTheirOwn(String writer, String reader, String kinds) throws Exception {
        String later = "{'$schema':'https://json-schema.org/draft/2020-12/schema',";
        assertThat(kinds(later + writer.substring(1), later + reader.substring(1)))
                .hasToString(kinds);
    }

    @Test
    void draft4SaysOfALimitThatItIsExclusive() throws Exception {
        String draft4 = "{'$schema':'http://json-schema.org/draft-04/schema#','type':'number','maximum':3%s}";
        String exclusive = draft4.formatted(",'exclusiveMaximum':true");
        assertThat(kinds(exclusive, draft4.formatted(""))).isEmpty();
        assertThat(kinds(draft4.formatted(""), exclusive)).containsExactly("MAXIMUM_DECREASED");
    }

    @Test
    void schemasThatHaveThemselvesWithinThemAreCompared() throws Exception {
        assertThat(kinds(TREE.formatted("integer"), TREE.formatted("number"))).isEmpty();
        assertThat(kinds(TREE.formatted("number"), TREE.formatted("integer"))).containsExactly("TYPE_NARROWED");
    }

    @Test
    void saysWhereItIs() throws Exception {
        assertThat(parse("{'properties':{'a':{'items':{'type':'number'}}}}")
                        .differencesFrom(parse("{'properties':{'a':{'items':{'type':'string'}}}}")))
                .singleElement()
                .asString()
                .startsWith("TYPE_CHANGED at #/properties/a/items: ");
    }

    /** Each takes for ever in a comparison that has no bound. */
    @Test
    void whatIsTooComplexIsRefused() throws Exception {
        String choices = IntStream.range(0, 1_500)
                .mapToObj(i -> "{'properties':{'p%d':{'type':'string'}}}".formatted(i))
                .collect(Collectors.joining(",", "[", "]"));
        JsonSchema wide = parse("{'anyOf':" + choices + "}");
        JsonSchema other = parse("{'oneOf':" + choices.replace("string", "number") + "}");
        assertThatThrownBy(() -> other.differencesFrom(wide)).hasMessageContaining("too complex");

        String chain = IntStream.range(0, 300)
                .mapToObj(i -> "'d%d':{'properties':{'p':{'$ref':'#/definitions/d%d'}}}".formatted(i, i + 1))
                .collect(Collectors.joining(",", "{", ",'d300':{'type':'%s'}}"));
        JsonSchema deep = parse("{'$ref':'#/definitions/d0','definitions':" + chain.formatted("string") + "}");
        JsonSchema deeper = parse("{'$ref':'#/definitions/d0','definitions':" + chain.formatted("number") + "}");
        assertThatThrownBy(() -> deeper.differencesFrom(deep)).hasMessageContaining("too complex");

        JsonSchema contrary = parse("{'not':{'$ref':'#'}}");
        assertThatThrownBy(() -> contrary.differencesFrom(parse("{'not':{'type':'object','not':{'$ref':'#'}}}")))
                .hasMessageContaining("too complex");
        JsonSchema circle = parse("{'$ref':'#/definitions/a','definitions':{'a':{'$ref':'#/definitions/a'}}}");
        assertThatThrownBy(() -> circle.differencesFrom(circle)).hasMessageContaining("circle");
    }

    /** A pattern that takes others for ever. */
    @Test
    void patternsTakeNoLongerThanTheNameIsLong() throws Exception {
        String name = "a".repeat(60) + "!";
        String writer = "{'patternProperties':{'^(a+)+$':{'type':'string'}},'additionalProperties':false}";
        assertThat(kinds(writer, writer.replace("{'patt", "{'properties':{'" + name + "':{'type':'string'}},'patt")))
                .isEmpty();
    }
}
