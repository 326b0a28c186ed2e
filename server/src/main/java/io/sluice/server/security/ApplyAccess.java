package io.sluice.server.security;

import io.sluice.server.security.AccessFile.User;
import io.sluice.server.wiring.StartException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.jspecify.annotations.Nullable;

/**
 * Gives a running server the users and rules of an {@link AccessFile}, and says each change in a line. Again it changes nothing. One that was
 * cut off is gone on with by the next.
 */
final class ApplyAccess {
    private final KafkaUsers server;
    private final Path file;
    private final PrintWriter out;

    /** @param file beside which the password files are */
    ApplyAccess(KafkaUsers server, Path file, PrintWriter out) {
        this.server = server;
        this.file = file;
        this.out = out;
    }

    void apply(AccessFile wanted) throws StartException {
        Map<String, List<ScramMechanism>> known = server.all();
        for (User user : wanted.users()) {
            List<ScramMechanism> mechanisms = known.get(user.name());
            if (user.remove()) {
                remove(user, mechanisms);
                continue;
            }
            if (user.passwordFile() != null && mechanisms == null) {
                server.setPassword(
                        user.name(), PasswordInput.read(file.resolveSibling(user.passwordFile()), user.name()));
                out.printf("Made the user %s%n", user.name());
            }
            if (user.rules() != null) {
                rules(user.principal(), AccessFile.bindings(user.principal(), user.rules()));
            }
        }
        for (AccessFile.Group group : wanted.groups()) {
            rules(group.principal(), AccessFile.bindings(group.principal(), group.rules()));
        }
    }

    /** The rules stay with the name, so they go first: a later user of that name has none of them. */
    private void remove(User user, @Nullable List<ScramMechanism> mechanisms) throws StartException {
        rules(user.principal(), Set.of());
        if (mechanisms != null) {
            server.remove(user.name(), mechanisms);
            out.printf("Removed the user %s%n", user.name());
        }
    }

    /** New rules come before old ones go, so that nothing is refused in between that both allow. */
    private void rules(String principal, Set<AclBinding> wanted) throws StartException {
        Set<AclBinding> there = server.rules(principal);
        Set<AclBinding> added = without(wanted, there);
        Set<AclBinding> removed = without(there, wanted);
        server.addRules(added);
        added.forEach(rule -> out.println("Added: " + text(rule)));
        server.removeRules(removed);
        removed.forEach(rule -> out.println("Took away: " + text(rule)));
    }

    private static Set<AclBinding> without(Set<AclBinding> all, Set<AclBinding> others) {
        return all.stream().filter(each -> !others.contains(each)).collect(Collectors.toSet());
    }

    private static String text(AclBinding rule) {
        AclOperation operation = rule.entry().operation();
        String with = rule.pattern().patternType() == PatternType.PREFIXED ? " with " : " ";
        String from =
                rule.entry().host().equals("*") ? "" : " from " + rule.entry().host();
        return "%s %s %s on %s%s%s%s"
                .formatted(
                        rule.entry().principal(),
                        rule.entry().permissionType(),
                        operation,
                        rule.pattern().resourceType(),
                        with,
                        rule.pattern().name(),
                        from);
    }
}
