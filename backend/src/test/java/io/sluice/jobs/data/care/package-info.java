@NullMarked
package io.sluice.jobs.data.care;

import org.jspecify.annotations.NullMarked;
