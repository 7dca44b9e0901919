package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The product keeps the rules of the house, and each rule is proven to bite on a violation planted under {@code planted}. */
class ArchitectureTest {
    static {
        // the rules ask for names and packages; what libraries inherit takes half of the time to read and changes no
        // violation
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    }

    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.sluice");
    private static final JavaClasses PLANTED = new ClassFileImporter().importPackages("planted");

    @TestFactory
    Stream<DynamicTest> the_product_keeps_the_rules() {
        return new House("io.sluice")
                .rules().entrySet().stream()
                        .map(rule ->
                                dynamicTest(rule.getKey(), () -> rule.getValue().check(PRODUCT)));
    }

    @TestFactory
    Stream<DynamicTest> a_planted_violation_is_found() {
        return new House("planted")
                .rules().entrySet().stream()
                        .map(rule -> dynamicTest(
                                rule.getKey(),
                                () -> assertThat(rule.getValue()
                                                .evaluate(PLANTED)
                                                .hasViolation())
                                        .as("a violation of: " + rule.getKey())
                                        .isTrue()));
    }

    @TestFactory
    Stream<DynamicTest> every_package_says_what_it_owns_and_is_null_marked() {
        return PRODUCT.stream()
                .map(type -> type.getPackage())
                .filter(pack -> pack.getName().startsWith("io.sluice"))
                .distinct()
                .map(pack -> dynamicTest(
                        pack.getName(),
                        () -> assertThat(pack.isAnnotatedWith("org.jspecify.annotations.NullMarked"))
                                .isTrue()));
    }
}
