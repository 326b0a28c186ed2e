package io.sluice.tiering.objectstore.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoreTraffic;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A role that Kubernetes gives a pod by a token in a file: the token is changed for keys at a second service. */
class WebIdentityTest {
    @TempDir
    private Path folder;

    private final Map<String, @Nullable String> before = new HashMap<>();
    private final StringBuffer asked = new StringBuffer();
    private volatile boolean declines;
    private ScriptedS3 s3;
    private HttpServer tokens;

    @BeforeEach
    void start() throws Exception {
        s3 = new ScriptedS3();
        tokens = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        tokens.createContext("/", this::exchangeToken);
        tokens.start();
        Path token = Files.writeString(folder.resolve("token"), "the-pods-token");
        set("aws.roleArn", "arn:aws:iam::123456789012:role/sluice");
        set("aws.roleSessionName", "sluice-0");
        set("aws.webIdentityTokenFile", token.toString());
        set("aws.region", "us-east-1");
        set("aws.endpointUrlSts", "http://127.0.0.1:" + tokens.getAddress().getPort());
        set("aws.accessKeyId", null);
        set("aws.secretAccessKey", null);
    }

    private void set(String property, @Nullable String value) {
        before.put(property, System.getProperty(property));
        restore(property, value);
    }

    private static void restore(String property, @Nullable String value) {
        if (value == null) {
            System.clearProperty(property);
        } else {
            System.setProperty(property, value);
        }
    }

    @AfterEach
    void stop() {
        before.forEach(WebIdentityTest::restore);
        tokens.stop(0);
        s3.close();
    }

    private void exchangeToken(HttpExchange exchange) throws IOException {
        try (exchange) {
            asked.append(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            String answer = declines
                    ? "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not that pod</Message></Error></ErrorResponse>"
                    : "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
                            + "<AccessKeyId>ROLEKEY</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>"
                            + "<SessionToken>the-session</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>"
                            + "</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>";
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(declines ? 403 : 200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private ObjectStore open() throws ObjectStoreException {
        return S3Tier.open(TestSettings.at(s3.endpoint()).keyOfTheSurroundings().build(), new StoreTraffic());
    }

    @Test
    void theRolesKeysSignRequests() throws Exception {
        try (ObjectStore store = open()) {
            store.list("", "", 1);
        }
        assertThat(asked.toString())
                .contains("Action=AssumeRoleWithWebIdentity", "WebIdentityToken=the-pods-token", "role%2Fsluice");
        assertThat(s3.lastSignature()).contains("Credential=ROLEKEY/", "the-session");
    }

    @Test
    void aRoleThatIsDeclinedIsOneLine() {
        declines = true;
        assertThatThrownBy(this::open)
                .isInstanceOf(ObjectStoreException.class)
                // these show the whole cause if it is another one
                .hasMessageContainingAll("AWS_ROLE_ARN", "not that pod")
                .hasMessageNotContaining("\n");
    }
}
