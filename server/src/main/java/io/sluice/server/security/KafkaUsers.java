package io.sluice.server.security;

import io.sluice.server.wiring.StartException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.jspecify.annotations.Nullable;

/** The users of a running server and their access rules, over Kafka's requests for SCRAM credentials and ACLs. Every failure is one line. Blocks. */
final class KafkaUsers implements AutoCloseable {
    private static final int ITERATIONS = 4_096;
    private static final int PATIENCE_MILLIS = 15_000;
    private static final List<ScramMechanism> MECHANISMS =
            List.of(ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512);

    private final Admin admin;

    private KafkaUsers(Admin admin) {
        this.admin = admin;
    }

    /**
     * @param bootstrap wins over the file's; null if it is not given
     * @param config client's settings; null for none
     */
    static KafkaUsers connect(@Nullable String bootstrap, @Nullable Path config) throws StartException {
        var settings = new Properties();
        settings.setProperty("bootstrap.servers", "127.0.0.1:9092");
        settings.setProperty("client.id", "sluice-users");
        settings.setProperty("request.timeout.ms", String.valueOf(PATIENCE_MILLIS));
        settings.setProperty("default.api.timeout.ms", String.valueOf(PATIENCE_MILLIS));
        if (config != null) {
            try (Reader reader = Files.newBufferedReader(config)) {
                settings.load(reader);
            } catch (IOException | IllegalArgumentException e) {
                throw new StartException("cannot read " + config + ": " + e);
            }
        }
        if (bootstrap != null) {
            settings.setProperty("bootstrap.servers", bootstrap);
        }
        try {
            return new KafkaUsers(Admin.create(settings));
        } catch (KafkaException e) {
            throw failed(e);
        }
    }

    /** Mechanisms by names of users. */
    SortedMap<String, List<ScramMechanism>> all() throws StartException {
        SortedMap<String, List<ScramMechanism>> found = new TreeMap<>();
        await(admin.describeUserScramCredentials().all())
                .forEach((name, described) -> found.put(
                        name,
                        described.credentialInfos().stream()
                                .map(ScramCredentialInfo::mechanism)
                                .sorted()
                                .toList()));
        return found;
    }

    void setPassword(String name, String password) throws StartException {
        change(MECHANISMS.stream()
                .map(each ->
                        new UserScramCredentialUpsertion(name, new ScramCredentialInfo(each, ITERATIONS), password)));
    }

    /** @param mechanisms all that the user has */
    void remove(String name, List<ScramMechanism> mechanisms) throws StartException {
        change(mechanisms.stream().map(each -> new UserScramCredentialDeletion(name, each)));
    }

    /** @param principal {@code User:name} or {@code Group:name} */
    Set<AclBinding> rules(String principal) throws StartException {
        var filter = new AclBindingFilter(
                ResourcePatternFilter.ANY,
                new AccessControlEntryFilter(principal, null, AclOperation.ANY, AclPermissionType.ANY));
        return Set.copyOf(await(admin.describeAcls(filter).values()));
    }

    void addRules(Collection<AclBinding> rules) throws StartException {
        if (!rules.isEmpty()) {
            await(admin.createAcls(rules).all());
        }
    }

    void removeRules(Collection<AclBinding> rules) throws StartException {
        if (!rules.isEmpty()) {
            await(admin.deleteAcls(rules.stream().map(AclBinding::toFilter).toList())
                    .all());
        }
    }

    private void change(Stream<? extends UserScramCredentialAlteration> changes) throws StartException {
        List<UserScramCredentialAlteration> all =
                changes.<UserScramCredentialAlteration>map(each -> each).toList();
        await(admin.alterUserScramCredentials(all).all());
    }

    private static <T> T await(KafkaFuture<T> answer) throws StartException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw failed(e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted");
        }
    }

    /** The innermost reason says most: a client that cannot be made says only that. */
    private static StartException failed(Throwable failure) {
        Throwable innermost = failure;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        String message = innermost.getMessage();
        return new StartException(
                message == null
                        ? innermost.toString()
                        : message.lines().findFirst().orElse(innermost.toString()));
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
