@NullMarked
package io.sluice.files.quota;

import org.jspecify.annotations.NullMarked;
