//! Devices that networks learn on: the CPU, or a GPU by CUDA or Vulkan.

use std::fmt;
use std::str::FromStr;

/// The device that an encoder learns on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Device {
    /// This machine's processor.
    #[default]
    Cpu,
    /// A graphics card, by Vulkan.
    Vulkan,
    /// An NVIDIA card, by CUDA.
    Cuda,
}

impl Device {
    pub(crate) fn open(self) -> burn_tensor::Device {
        match self {
            Self::Cpu => burn_tensor::Device::flex(),
            #[cfg(feature = "vulkan")]
            Self::Vulkan => burn_tensor::Device::wgpu(Default::default()),
            #[cfg(feature = "cuda")]
            Self::Cuda => burn_tensor::Device::cuda(0),
            #[allow(unreachable_patterns)]
            other => panic!("{other} is not enabled in this build"),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "cpu",
            Self::Vulkan => "vulkan",
            Self::Cuda => "cuda",
        })
    }
}

impl FromStr for Device {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "cpu" => Ok(Self::Cpu),
            "vulkan" if cfg!(feature = "vulkan") => Ok(Self::Vulkan),
            "cuda" if cfg!(feature = "cuda") => Ok(Self::Cuda),
            "vulkan" | "cuda" => {
                let shown = if name == "cuda" { "CUDA" } else { "Vulkan" };
                Err(format!("this build has no {shown} support"))
            }
            _ => Err(format!("there is no device \"{name}\"")),
        }
    }
}
