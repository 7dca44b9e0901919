@NullMarked
package io.sluice.jobs.pages;

import org.jspecify.annotations.NullMarked;
