import { X } from "lucide-react";

interface CloseButtonProps {
  readonly label: string;
  readonly className?: string;
  readonly onClose: () => void;
}

export function CloseButton({ label, className = "", onClose }: CloseButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClose}
      className={`rounded p-1.5 text-muted hover:bg-raised ${className}`}
    >
      <X size={16} aria-hidden />
    </button>
  );
}
