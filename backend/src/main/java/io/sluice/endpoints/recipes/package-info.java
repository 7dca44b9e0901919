/** Owns what it takes to have a program answer inside a task, as files describe it. Knows no job. */
@NullMarked
package io.sluice.endpoints.recipes;

import org.jspecify.annotations.NullMarked;
