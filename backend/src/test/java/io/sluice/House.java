package io.sluice;

import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The rules of the house (docs: design, section 3) over any root package, so that they can be tried on planted violations. */
final class House {
    /** room → rooms it may use. A new room may use nothing until it is argued for here. */
    private static final Map<String, Set<String>> MAY_USE = Map.of(
            "web", Set.of(),
            "database", Set.of(),
            "engines", Set.of(),
            "identity", Set.of("web", "database"),
            "files", Set.of("web", "database", "identity"),
            "jobs", Set.of("web", "database", "engines", "identity", "files"),
            "logs", Set.of("web", "database", "engines", "jobs"),
            "endpoints", Set.of("web", "database", "engines", "identity", "jobs"),
            "telemetry", Set.of("web", "database", "engines", "jobs"));

    private static final int MOST_CLASSES = 15;

    private final String root;

    House(String root) {
        this.root = root;
    }

    Map<String, ArchRule> rules() {
        Map<String, ArchRule> rules = new LinkedHashMap<>();
        rules.put(
                "rooms use only what the table allows",
                classes().that(areInRooms()).should(useOnlyAllowedRooms()));
        rules.put(
                "rooms form no cycle",
                slices().matching(root + ".(*)..").should().beFreeOfCycles());
        rules.put(
                "no room uses the roof",
                noClasses().that(areInRooms()).should().dependOnClassesThat().resideInAPackage(root));
        rules.put("docker-java lives in engines.docker", home("com.github.dockerjava..", ".engines.docker.", "$none"));
        rules.put(
                "the Kubernetes client lives in engines.kubernetes",
                home("io.fabric8..", ".engines.kubernetes.", "$none"));
        rules.put("SQL lives in database and in stores", home("io.vertx.sqlclient..", ".database.", "Store"));
        rules.put("PostgreSQL's driver lives in database", home("io.vertx.pgclient..", ".database.", "$none"));
        rules.put("vertx-web lives in web and in routes", home("io.vertx.ext.web..", ".web.", "Routes"));
        rules.put("the proxy lives in endpoints", home("io.vertx.httpproxy..", ".endpoints.", "$none"));
        rules.put("the client of stores lives in files.stores", home("software.amazon..", ".files.stores.", "$none"));
        rules.put("JGit lives in jobs.data.git", home("org.eclipse.jgit..", ".jobs.data.git.", "$none"));
        rules.put("sshd lives in endpoints", home("org.apache.sshd..", ".endpoints.", "$none"));
        rules.put("JWT lives in identity", home("io.vertx.ext.auth..", ".identity.", "$none"));
        rules.put("simpleclient lives in telemetry and in metrics", simpleclient());
        rules.put(
                "stores and routes are package-private",
                classes()
                        .that(areStoresOrRoutes())
                        .and()
                        .doNotHaveModifier(JavaModifier.ABSTRACT)
                        .should()
                        .notBePublic()
                        .allowEmptyShould(true));
        rules.put(
                "routes never touch a store",
                noClasses()
                        .that()
                        .haveSimpleNameEndingWith("Routes")
                        .should()
                        .dependOnClassesThat()
                        .haveSimpleNameEndingWith("Store")
                        .allowEmptyShould(true));
        rules.put(
                "no static field changes",
                fields().that().areStatic().should().beFinal().allowEmptyShould(true));
        rules.put(
                "nobody writes to System.out or System.err",
                noClasses().should().accessField(System.class, "out").orShould().accessField(System.class, "err"));
        rules.put("nobody prints a stack trace", noClasses().should().callMethod(Throwable.class, "printStackTrace"));
        rules.put("at most 15 top-level classes per room", classes().should(fitIntoTheirRoom()));
        rules.put(
                "every room has a public door of its name",
                classes().that(areInRooms()).should(haveADoor()));
        return rules;
    }

    private DescribedPredicate<JavaClass> areInRooms() {
        return DescribedPredicate.describe("are in rooms", type -> !room(type).isEmpty());
    }

    private static DescribedPredicate<JavaClass> areStoresOrRoutes() {
        return DescribedPredicate.describe(
                "are stores or routes",
                type -> type.isTopLevelClass()
                        && (type.getSimpleName().endsWith("Store")
                                || type.getSimpleName().endsWith("Routes")));
    }

    private String room(JavaClass type) {
        String name = type.getPackageName();
        if (!name.startsWith(root + ".")) {
            return "";
        }
        String rest = name.substring(root.length() + 1);
        int dot = rest.indexOf('.');
        return dot < 0 ? rest : rest.substring(0, dot);
    }

    private ArchRule home(String library, String room, String ending) {
        return noClasses()
                .that(DescribedPredicate.describe(
                        "are outside " + room + " and not *" + ending,
                        type -> !(type.getPackageName() + ".").startsWith(root + room)
                                && !outermost(type).endsWith(ending)))
                .should(dependOnClassesThat(are(JavaClass.Predicates.resideInAPackage(library))))
                .allowEmptyShould(true);
    }

    /** Constructors take a registry and hand it to the room's metrics: naming the registry is free, making a metric is not. */
    private ArchRule simpleclient() {
        return noClasses()
                .that(DescribedPredicate.describe(
                        "are outside telemetry and not *Metrics",
                        type -> !(type.getPackageName() + ".").startsWith(root + ".telemetry.")
                                && !type.getSimpleName().endsWith("Metrics")))
                .should(dependOnClassesThat(DescribedPredicate.describe(
                        "build metrics",
                        type -> type.getPackageName().startsWith("io.prometheus.client")
                                && type.getSimpleName().endsWith("Builder"))))
                .allowEmptyShould(true);
    }

    private static String outermost(JavaClass type) {
        return type.getEnclosingClass().map(House::outermost).orElse(type.getSimpleName());
    }

    private ArchCondition<JavaClass> useOnlyAllowedRooms() {
        return new ArchCondition<>("use only the rooms that the table allows") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                String from = room(type);
                type.getDirectDependenciesFromSelf().forEach(dependency -> {
                    String to = room(dependency.getTargetClass().getBaseComponentType());
                    boolean allowed = to.isEmpty()
                            || to.equals(from)
                            || MAY_USE.getOrDefault(from, Set.of()).contains(to);
                    if (!allowed) {
                        events.add(SimpleConditionEvent.violated(type, dependency.getDescription()));
                    }
                });
            }
        };
    }

    private ArchCondition<JavaClass> fitIntoTheirRoom() {
        return new ArchCondition<>("be among at most " + MOST_CLASSES + " of a room") {
            private final Map<String, Integer> counts = new LinkedHashMap<>();

            @Override
            public void init(Collection<JavaClass> all) {
                all.stream()
                        .filter(type ->
                                type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                        .filter(type -> !room(type).isEmpty())
                        .forEach(type -> counts.merge(type.getPackageName(), 1, Integer::sum));
            }

            @Override
            public void check(JavaClass type, ConditionEvents events) {}

            @Override
            public void finish(ConditionEvents events) {
                counts.forEach((room, count) -> {
                    if (count > MOST_CLASSES) {
                        events.add(SimpleConditionEvent.violated(room, room + " has " + count + " classes"));
                    }
                });
            }
        };
    }

    private ArchCondition<JavaClass> haveADoor() {
        return new ArchCondition<>("have a public class named as their room") {
            private final Set<String> doors = new HashSet<>();

            @Override
            public void init(Collection<JavaClass> all) {
                all.stream()
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .forEach(type -> doors.add(type.getName()));
            }

            @Override
            public void check(JavaClass type, ConditionEvents events) {
                String room = room(type);
                String door = root + "." + room + "." + Character.toUpperCase(room.charAt(0)) + room.substring(1);
                boolean open = doors.contains(door) || !type.getPackageName().equals(root + "." + room);
                if (!open && !room.equals("engines")) {
                    events.add(SimpleConditionEvent.violated(type, room + " has no public " + door));
                }
            }
        };
    }
}
