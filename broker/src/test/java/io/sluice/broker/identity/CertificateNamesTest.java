package io.sluice.broker.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CertificateNamesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    DEFAULT                                            | CN=Duke,OU=Sales | CN=Duke,OU=Sales
                    RULE:^CN=(.*?),OU=Sales.*$/$1/L                    | CN=Duke,OU=Sales | duke
                    RULE:^CN=(.*?),OU=Sales$/$1@sales/,DEFAULT         | CN=Duke,OU=Sales | Duke@sales
                    RULE:^CN=(.*?),OU=Sales$/$1@sales/, DEFAULT        | CN=Duke,OU=Ops   | CN=Duke,OU=Ops
                    RULE:^.*[Cc][Nn]=([a-zA-Z0-9.]*).*$/$1/U           | OU=a,CN=duke,C=b | DUKE
                    RULE:^CN=(.*),O=a\\/b$/$1\\/c/                     | CN=x,O=a/b       | x/c
                    """)
    void theFirstRuleThatMatchesMakesTheName(String rules, String distinguished, String name) throws Exception {
        assertThat(CertificateNames.parse(rules).nameOf(distinguished)).isEqualTo(name);
    }

    @Test
    void aCertificateThatNoRuleKnowsHasNoName() {
        CertificateNames names = CertificateNames.parse("RULE:^CN=(.*?),OU=Sales$/$1/");
        assertThatThrownBy(() -> names.nameOf("CN=Duke,OU=Ops")).isInstanceOf(LoginException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"default", "RULE:a", "RULE:a/b", "RULE:a/b/X", "DEFAULT DEFAULT", "RULE:(/a/"})
    void whatIsNoRuleIsSaid(String text) {
        assertThatThrownBy(() -> CertificateNames.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("for certificates' names");
    }
}
