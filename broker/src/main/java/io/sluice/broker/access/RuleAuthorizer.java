package io.sluice.broker.access;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.TopicName;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides by {@link AccessRules}, as Kafka's authorizer does: a rule that denies counts more than those that allow, and where rules apply
 * to a resource, but none to the principal, it is refused. Answers are remembered until a rule changes.
 *
 * <p>Where a proxy acts for a client both have to be allowed.
 *
 * <p>A namespace is a topic resource by the beginning of its topics' names, {@code _ns.tenant.namespace.}, which counts for those of the default
 * namespace, too, that go by their local names. A scalable segment is its topic.
 */
public final class RuleAuthorizer implements Authorizer {
    /** Answers that are remembered; about 200 bytes each. */
    private static final int MOST_ANSWERS = 20_000;

    private final AccessRules rules;
    private final Set<String> superUsers;
    private final boolean allowsWithoutRules;
    private final AtomicLong version = new AtomicLong();
    private volatile Map<Question, Boolean> answers = new ConcurrentHashMap<>();

    /**
     * @param superUsers {@code User:name} or {@code Group:name}: they may do everything
     * @param allowsWithoutRules whether everybody may do everything to a resource to which no rule applies
     */
    public RuleAuthorizer(AccessRules rules, Set<String> superUsers, boolean allowsWithoutRules) {
        this.rules = rules;
        this.superUsers = Set.copyOf(superUsers);
        this.allowsWithoutRules = allowsWithoutRules;
        // An answer that was found by the rules before goes into the map before.
        rules.onChange(() -> {
            answers = new ConcurrentHashMap<>();
            version.incrementAndGet();
        });
    }

    /** @param resource a {@link TopicName}, a {@link SubscriptionName}, the name of something else, or the type where any resource of it is meant */
    private record Question(Principal who, Operation operation, ResourceType type, Object resource) {
        Question by(Principal another) {
            return new Question(another, operation, type, resource);
        }
    }

    @Override
    public boolean allows(Principal who, Operation operation, TopicName topic) {
        Question question = new Question(who, operation, ResourceType.TOPIC, topic);
        Boolean known = answers.get(question);
        return known != null ? known : answer(question, nameOf(topic.whole()), nameByNamespace(topic.whole()));
    }

    /** Name under which rules for the default namespace find a topic of it that goes by its local name; null for others. */
    private static @Nullable String nameByNamespace(TopicName topic) {
        return topic.inDefaultNamespace()
                ? KafkaNames.beginningIn(topic.tenant(), topic.namespace()) + topic.local()
                : null;
    }

    private static String nameOf(TopicName topic) {
        String kafka = KafkaNames.of(topic);
        return kafka == null ? topic.toString() : kafka;
    }

    @Override
    public boolean allows(Principal who, Operation operation, ResourceType type, String name) {
        Question question = new Question(who, operation, type, name);
        Boolean known = answers.get(question);
        return known != null ? known : answer(question, name, null);
    }

    @Override
    public boolean allowsOnNamespace(Principal who, Operation operation, String tenant, String namespace) {
        return allows(who, operation, ResourceType.TOPIC, KafkaNames.beginningIn(tenant, namespace));
    }

    @Override
    public boolean allowsOnCluster(Principal who, Operation operation) {
        return allows(who, operation, ResourceType.CLUSTER, ResourcePattern.CLUSTER);
    }

    /** As by no rule everybody would administer what there are no rules for, that is no way here. */
    @Override
    public boolean administers(Principal who, String tenant) {
        Question question = new Question(who, Operation.ALL, ResourceType.TOPIC, tenant);
        return decide(question, KafkaNames.beginningIn(tenant), null, false);
    }

    @Override
    public boolean allowsSubscription(Principal who, SubscriptionName subscription) {
        Question question = new Question(who, Operation.READ, ResourceType.GROUP, subscription);
        Map<Question, Boolean> remembered = answers;
        Boolean known = remembered.get(question);
        return known != null ? known : remember(question, remembered, decideOnSubscription(who, subscription));
    }

    private boolean decideOnSubscription(Principal who, SubscriptionName subscription) {
        Principal proxy = who.proxy();
        if (proxy != null) {
            return allowsSubscription(proxy, subscription.forAnyRole())
                    && allowsSubscription(who.itself(), subscription);
        }
        if (administers(who, subscription.tenant())) {
            return true;
        }
        if (subscription.roleFirst() && !subscription.name().startsWith(who.name())) {
            return false;
        }
        String name = subscription.resource();
        return !rules.index().has(new ResourcePattern(ResourceType.GROUP, name, false))
                || allows(who, Operation.READ, ResourceType.GROUP, name);
    }

    private boolean answer(Question question, String name, @Nullable String another) {
        Map<Question, Boolean> remembered = answers;
        return remember(question, remembered, decide(question, name, another, allowsWithoutRules));
    }

    /** @param remembered as it was before the answer was looked for */
    private static boolean remember(Question question, Map<Question, Boolean> remembered, boolean answer) {
        if (remembered.size() >= MOST_ANSWERS) {
            remembered.clear();
        }
        remembered.put(question, answer);
        return answer;
    }

    /**
     * Decides by the rules.
     *
     * @param another name of the same resource; null if it has one name
     * @param otherwise answer where no rule applies to the resource
     */
    private boolean decide(Question question, String name, @Nullable String another, boolean otherwise) {
        Principal who = question.who();
        Principal proxy = who.proxy();
        if (proxy != null) {
            return decide(question.by(proxy), name, another, otherwise)
                    && decide(question.by(who.itself()), name, another, otherwise);
        }
        Set<String> principals = principalsOf(who);
        if (isSuperUser(principals)) {
            return true;
        }
        var found = new Decision();
        Consumer<List<AccessRule>> taken = some -> {
            found.some = true;
            for (AccessRule rule : some) {
                if (rule.concerns(principals, who.host(), question.operation())) {
                    found.allowed |= rule.allows();
                    found.denied |= !rule.allows();
                }
            }
        };
        rules.index().eachOn(question.type(), name, taken);
        if (another != null) {
            rules.index().eachOn(question.type(), another, taken);
        }
        return found.some ? found.allowed && !found.denied : otherwise;
    }

    private static final class Decision {
        boolean some;
        boolean allowed;
        boolean denied;
    }

    private static Set<String> principalsOf(Principal who) {
        Set<String> principals = new HashSet<>();
        principals.add(AccessRule.EVERYBODY);
        principals.add(AccessRule.USER + who.name());
        who.groups().forEach(group -> principals.add(AccessRule.GROUP + group));
        return principals;
    }

    private boolean isSuperUser(Set<String> principals) {
        return principals.stream().anyMatch(superUsers::contains);
    }

    @Override
    public boolean allowsOnAny(Principal who, Operation operation, ResourceType type) {
        Question question = new Question(who, operation, type, type);
        Boolean known = answers.get(question);
        return known != null ? known : remember(question, answers, decideOnAny(who, operation, type));
    }

    private boolean decideOnAny(Principal who, Operation operation, ResourceType type) {
        Principal proxy = who.proxy();
        if (proxy != null) {
            return allowsOnAny(proxy, operation, type) && allowsOnAny(who.itself(), operation, type);
        }
        // A name of which it is unlikely that there is such a resource: super users, and rules on everything.
        if (allows(who, operation, type, "hardcode")) {
            return true;
        }
        Set<String> principals = principalsOf(who);
        Set<ResourcePattern> allowed = new HashSet<>();
        Set<ResourcePattern> denied = new HashSet<>();
        for (AccessRule rule : rules.find(each -> each.resource().type() == type)) {
            boolean same = rule.operation() == operation || rule.operation() == Operation.ALL;
            if (same && rule.concerns(principals, who.host(), operation)) {
                (rule.allows() ? allowed : denied).add(rule.resource());
            }
        }
        ResourcePattern every = new ResourcePattern(type, ResourcePattern.EVERY, false);
        return !denied.contains(every)
                && (allowed.contains(every) || allowed.stream().anyMatch(each -> !isDenied(each, denied)));
    }

    /** Whether all that the pattern allows is denied: by the same name, or by a beginning of it. */
    private static boolean isDenied(ResourcePattern allowed, Set<ResourcePattern> denied) {
        if (!allowed.prefixed() && denied.contains(allowed)) {
            return true;
        }
        for (int length = 1; length <= allowed.name().length(); length++) {
            if (denied.contains(
                    new ResourcePattern(allowed.type(), allowed.name().substring(0, length), true))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public long version() {
        return version.get();
    }

    @Override
    public AccessRules rules() {
        return rules;
    }
}
